package bootstrap

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

// root is the module's.
var root = filepath.Join("..", "..")

// built is the folder of the bootstraps, each in a folder of its name.
var built string

func TestMain(m *testing.M) {
	var err error
	if built, err = os.MkdirTemp("", "bootstrap"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(built)
	os.Exit(code)
}

// functions are the deployment's, as sam build makes them but for this machine's architecture.
var functions = map[string]func() (string, error){
	"api":     sync.OnceValues(func() (string, error) { return makeFunction("api", "ApiFunction") }),
	"turn":    sync.OnceValues(func() (string, error) { return makeFunction("turn", "TurnFunction") }),
	"recover": sync.OnceValues(func() (string, error) { return makeFunction("recover", "RecoverFunction") }),
}

// yardsticks are built with the same flags.
var yardsticks = map[string]func() (string, error){
	"empty":      sync.OnceValues(func() (string, error) { return goBuild("empty") }),
	"clients":    sync.OnceValues(func() (string, error) { return goBuild("clients") }),
	"turn alone": sync.OnceValues(func() (string, error) { return goBuild("turn") }),
}

// bootstrap is the path of the program of that name, which the first caller builds.
func bootstrap(t testing.TB, name string) string {
	t.Helper()
	build, ok := functions[name]
	if !ok {
		build = yardsticks[name]
	}
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func makeFunction(name, logical string) (string, error) {
	dir := filepath.Join(built, name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	return run(dir, exec.Command("make", "-C", root, "build-"+logical, "ARTIFACTS_DIR="+dir, "LAMBDA_GOARCH="+runtime.GOARCH))
}

func goBuild(name string) (string, error) {
	dir := filepath.Join(built, "testdata", name)
	cmd := exec.Command("go", "build", "-trimpath", "-tags", "lambda.norpc", "-ldflags", "-s -w",
		"-o", filepath.Join(dir, "bootstrap"), "./"+filepath.Join("testdata", name))
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	return run(dir, cmd)
}

// run runs a build into a folder.
func run(dir string, build *exec.Cmd) (string, error) {
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%v: %w\n%s", build.Args, err, out)
	}
	return filepath.Join(dir, "bootstrap"), nil
}
