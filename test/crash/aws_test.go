package crash

import (
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"time"

	awsdynamodb "github.com/aws/aws-sdk-go-v2/service/dynamodb"
	awssqs "github.com/aws/aws-sdk-go-v2/service/sqs"

	"github.com/interlude-a2a/interlude/infra/emulator"
	"github.com/interlude-a2a/interlude/pkg/queue"
	"github.com/interlude-a2a/interlude/pkg/queue/sqs"
	"github.com/interlude-a2a/interlude/pkg/task"
	"github.com/interlude-a2a/interlude/pkg/task/dynamodb"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

// realTime is the pace where waiting takes as long as it does: the shortest lease, and recovery no
// more often than the emulation's indexes can bear from all worlds at once.
var realTime = pace{lease: turn.MinLease, stall: 20 * time.Second, recover: 15 * time.Second, rest: 3 * time.Second, nap: 8 * time.Second}

const (
	worlds    = 48 // at once: they mostly wait
	awsSample = 10 // cuts of each scenario in make test
)

// The same worlds over DynamoDB and SQS as emulated, in real time. They run side by side.
func TestCutsOnAWS(t *testing.T) {
	t.Parallel()
	e := emulator.Shared(t)
	places := make(chan struct{}, worlds)
	var wg sync.WaitGroup
	for n, s := range scenarios {
		if *only == "" || *only == s.name {
			r := rand.New(rand.NewPCG(*seed, uint64(n)))
			wg.Go(func() { cutOnAWS(t, e, s, r, places) })
		}
	}
	wg.Wait()
}

func cutOnAWS(t *testing.T, e *emulator.Emulator, s scenario, r *rand.Rand, places chan struct{}) {
	// About as many calls as on memory: to count them here first would take as long as all cuts do.
	uncut, _ := play(t, backends[0], s, nil, nil)
	cuts := singles(uncut.calls.busy())
	if !*all {
		cuts = sample(r, cuts, awsSample)
	}
	var mu sync.Mutex
	var wg sync.WaitGroup
	met := map[string]bool{}
	for _, c := range append(cuts, nil) {
		wg.Go(func() {
			w, faults := playAWS(t, e, s, c, places)
			mu.Lock()
			defer mu.Unlock()
			met[schedule(s, w)] = true
			if len(faults) > 0 {
				t.Errorf("%s, %v: %v", s.name, w.calls.hit, strings.Join(faults, "; "))
			}
		})
	}
	wg.Wait()
	t.Logf("%s: %d calls uncut, %d worlds, %d distinct schedules", s.name, uncut.calls.busy(), len(cuts)+1, len(met))
}

// playAWS runs one world in an account of its own.
func playAWS(t *testing.T, e *emulator.Emulator, s scenario, cuts []cut, places chan struct{}) (*world, []string) {
	places <- struct{}{}
	defer func() { <-places }()
	store, q := openAWS(t, e)
	w := newWorld(s, store, q, cuts)
	w.pace = realTime
	return w, w.run()
}

func openAWS(t *testing.T, e *emulator.Emulator) (task.Store, queue.Queue) {
	b, err := e.NewBed(t.Context())
	if err != nil {
		panic(err)
	}
	return dynamodb.New(awsdynamodb.NewFromConfig(b.Config), b.Table, dynamodb.Options{}), sqs.New(awssqs.NewFromConfig(b.Config), b.QueueURL)
}
