// Command recover pokes tasks whose message was lost. A schedule runs it every minute.
package main

import (
	"context"
	"time"

	"github.com/interlude-a2a/interlude/functions/internal/deployment"
	"github.com/interlude-a2a/interlude/pkg/lambda"
	"github.com/interlude-a2a/interlude/pkg/turn"
)

func main() { deployment.Start(lambda.Recover, wire) }

func wire(d deployment.Deployment) (any, error) {
	return lambda.Scheduled(func(ctx context.Context) error {
		report, err := turn.Recover(ctx, d.Store, d.Queue, time.Now(), d.RecoverLimit)
		if len(report.TookOver)+report.Skipped > 0 {
			d.Log.InfoContext(ctx, "recovered", "tookOver", report.TookOver, "skipped", report.Skipped)
		}
		return err
	}, lambda.Options{Log: d.Log}), nil
}
