package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"encoding/pem"
	"io"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	a2apb "github.com/a2aproject/a2a-go/v2/a2apb/v1"
	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	"github.com/interlude-a2a/interlude/infra/emulator"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
)

// authority makes certificates.
type authority struct {
	t    *testing.T
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	dir  string
}

func newAuthority(t *testing.T) *authority {
	t.Helper()
	a := &authority{t: t, dir: t.TempDir()}
	template := &x509.Certificate{Subject: pkix.Name{CommonName: "authority"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	a.cert, a.key = a.sign(template, nil)
	return a
}

func (a *authority) sign(template *x509.Certificate, by *authority) (*x509.Certificate, *ecdsa.PrivateKey) {
	a.t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		a.t.Fatal(err)
	}
	template.SerialNumber = big.NewInt(time.Now().UnixNano())
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	parent, signer := template, key
	if by != nil {
		parent, signer = by.cert, by.key
	}
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	if err != nil {
		a.t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		a.t.Fatal(err)
	}
	return cert, key
}

// files are a certificate's and its key's.
func (a *authority) files(name string, cert *x509.Certificate, key *ecdsa.PrivateKey) (certFile, keyFile string) {
	a.t.Helper()
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		a.t.Fatal(err)
	}
	certFile, keyFile = filepath.Join(a.dir, name+".crt"), filepath.Join(a.dir, name+".key")
	for file, block := range map[string]*pem.Block{certFile: {Type: "CERTIFICATE", Bytes: cert.Raw}, keyFile: {Type: "EC PRIVATE KEY", Bytes: der}} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			a.t.Fatal(err)
		}
	}
	return certFile, keyFile
}

// GRPC-01, R-16: the container's program over the table of a deployment, to callers with certificates.
func TestServe(t *testing.T) {
	e := emulator.Shared(t)
	cfg := e.Account()
	keys, err := cfg.Credentials.Retrieve(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := awsdynamodb.NewFromConfig(cfg).CreateTable(t.Context(), dynamodb.Table("tasks")); err != nil {
		t.Fatal(err)
	}
	name := "turns"
	q, err := awssqs.NewFromConfig(cfg).CreateQueue(t.Context(), &awssqs.CreateQueueInput{QueueName: &name})
	if err != nil {
		t.Fatal(err)
	}
	a := newAuthority(t)
	serverCert, serverKey := a.sign(&x509.Certificate{DNSNames: []string{"localhost"}, KeyUsage: x509.KeyUsageDigitalSignature}, a)
	cert, key := a.files("server", serverCert, serverKey)
	ca, _ := a.files("ca", a.cert, a.key)
	for name, value := range map[string]string{ // of the SDK's own configuration
		"AWS_REGION": emulator.Region, "AWS_ACCESS_KEY_ID": keys.AccessKeyID, "AWS_SECRET_ACCESS_KEY": keys.SecretAccessKey,
	} {
		t.Setenv(name, value)
	}
	env := map[string]string{
		"TABLE": "tasks", "QUEUE_URL": *q.QueueUrl, "SECRET_PARAMETER": "/interlude/secret", "AWS_ENDPOINT_URL": e.Endpoint,
		"ADDRESS": "127.0.0.1:0", "TLS_CERT": cert, "TLS_KEY": key, "TLS_CLIENT_CA": ca, "LOG_LEVEL": "info",
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	out, log := io.Pipe()
	go func() {
		defer log.Close()
		ended <- run(ctx, func(name string) string { return env[name] }, log)
	}()
	defer func() {
		stop()
		if err := <-ended; err != nil {
			t.Errorf("it ended with %v", err)
		}
	}()

	lines := json.NewDecoder(out)
	var serves struct{ Msg, Address string }
	if err := lines.Decode(&serves); err != nil || serves.Address == "" {
		t.Fatalf("the log begins with %+v, %v", serves, err)
	}
	go io.Copy(io.Discard, out)
	address := serves.Address
	alice, bob := a.client(address, "alice"), a.client(address, "bob")
	sent, err := alice.SendMessage(versioned(t.Context()), &a2apb.SendMessageRequest{
		Message:       &a2apb.Message{MessageId: "m", Role: a2apb.Role_ROLE_USER, Parts: []*a2apb.Part{{Content: &a2apb.Part_Text{Text: "hi"}}}},
		Configuration: &a2apb.SendMessageConfiguration{ReturnImmediately: true},
	}, grpc.WaitForReady(true))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := alice.GetTask(versioned(t.Context()), &a2apb.GetTaskRequest{Id: sent.GetTask().Id}); err != nil || got.Status.State != a2apb.TaskState_TASK_STATE_SUBMITTED {
		t.Errorf("alice: got %v, %v", got, err)
	}
	if _, err := bob.GetTask(versioned(t.Context()), &a2apb.GetTaskRequest{Id: sent.GetTask().Id}); status.Code(err) != codes.NotFound {
		t.Errorf("bob: got %v, want nothing of it", err)
	}
	stranger := newAuthority(t)
	other := stranger.client(address, "alice", a.cert)
	if _, err := other.GetTask(versioned(t.Context()), &a2apb.GetTaskRequest{Id: sent.GetTask().Id}); status.Code(err) != codes.Unavailable {
		t.Errorf("a stranger's certificate: got %v, want no connection", err)
	}
}

func versioned(ctx context.Context) context.Context {
	return metadata.AppendToOutgoingContext(ctx, "a2a-version", "1.0")
}

// client connects as somebody, trusting the authority, or others.
func (a *authority) client(address, who string, trusted ...*x509.Certificate) a2apb.A2AServiceClient {
	a.t.Helper()
	cert, key := a.sign(&x509.Certificate{Subject: pkix.Name{CommonName: who}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}}, a)
	roots := x509.NewCertPool()
	for _, c := range append(trusted, a.cert) {
		roots.AddCert(c)
	}
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(credentials.NewTLS(&tls.Config{
		ServerName: "localhost", RootCAs: roots, Certificates: []tls.Certificate{{Certificate: [][]byte{cert.Raw}, PrivateKey: key}},
	})))
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { conn.Close() })
	return a2apb.NewA2AServiceClient(conn)
}

// what is not as it should be stops the start, with the variable's name.
func TestWrongSettings(t *testing.T) {
	t.Parallel()
	a := newAuthority(t)
	cert, key := a.files("ca", a.cert, a.key)
	least := map[string]string{"TABLE": "t", "QUEUE_URL": "https://sqs.example/q", "SECRET_PARAMETER": "/x", "PUBLIC_URL": "https://agents.example"}
	for _, tt := range []struct {
		set  map[string]string
		want string
	}{
		{map[string]string{"TABLE": ""}, "TABLE is not set"},
		{nil, "TLS_CLIENT_CA is not set"},
		{map[string]string{"TLS_CERT": cert, "TLS_KEY": key}, "TLS_CLIENT_CA is not set"},
		{map[string]string{"TLS_CERT": cert}, "TLS_CERT is"},
		{map[string]string{"TLS_CERT": cert, "TLS_KEY": key, "TLS_CLIENT_CA": "/nowhere"}, "TLS_CLIENT_CA is"},
		{map[string]string{"TLS_CERT": cert, "TLS_KEY": key, "TLS_CLIENT_CA": key}, "TLS_CLIENT_CA is"},
		{map[string]string{"PUBLIC_URL": ""}, "PUBLIC_URL is not set"},
		{map[string]string{"AWS_ENDPOINT_URL": "http://localhost:4566", "PUBLIC_URL": ""}, ""},
		{map[string]string{"TLS_CERT": cert, "TLS_KEY": key, "TLS_CLIENT_CA": cert}, ""},
	} {
		_, err := readSettings(func(name string) string {
			if v, ok := tt.set[name]; ok {
				return v
			}
			return least[name]
		})
		if tt.want == "" && err != nil || tt.want != "" && (err == nil || !strings.HasPrefix(err.Error(), tt.want)) {
			t.Errorf("%v: got %v, want %q", tt.set, err, tt.want)
		}
	}
}
