# make, or make help, prints what there is.
#
# Needed: Go 1.26, Python 3.10 and GNU make. What the tests need beyond these is
# pinned in infra/tools and installed into a cache outside the sources; see
# infra/tools/with.py. go.sum and the lock files guard what is downloaded.

PYTHON   ?= python3
FUZZTIME ?= 20s
LAMBDA_GOARCH ?= arm64
WITH     := $(PYTHON) infra/tools/with.py

.DEFAULT_GOAL := help
.PHONY: help run sut grpc-image sam-local build test lint fmt unit test-dynoxide crash fuzz bench mutate tools lock clean

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-13s %s\n", $$1, $$2 }' Makefile

run: ## start the whole system on http://localhost:8080 (PORT, DATA, AGENT)
	go run ./infra/local

sut: ## start what the A2A conformance kit (a2a-tck) tests, on http://localhost:9999 and, by gRPC, localhost:9998
	AGENT=kit PORT=9999 GRPC_PORT=9998 DATA=$$(mktemp -d) go run ./infra/local

sam-local: ## serve the deployed shape on http://localhost:8080: emulated AWS, and sam local start-api (needs Docker)
	@go build -o bin/samlocal ./infra/samlocal
	@$(WITH) bin/samlocal

build: ## build every program into bin/
	go build -o bin/ ./...

# sam build calls these, one a function. The template's Architecture must say the same. Agents go
# along with what needs them: their folders, and the cards that are made of them.
build-%Function:
	CGO_ENABLED=0 GOOS=linux GOARCH=$(LAMBDA_GOARCH) go build -trimpath -tags lambda.norpc -ldflags "-s -w" \
		-o $(ARTIFACTS_DIR)/bootstrap ./functions/$(shell echo $* | tr A-Z a-z)
	$(if $(filter Turn,$*),cp -R agents $(ARTIFACTS_DIR)/agents)
	$(if $(filter Api,$*),go run ./cmd/interlude card --out $(ARTIFACTS_DIR)/cards agents/*)

# Where this machine keeps the certificates of authorities.
CA_BUNDLE ?= /etc/ssl/certs/ca-certificates.crt

grpc-image: ## build the container that serves gRPC over a deployment's table (needs Docker)
	rm -rf bin/image && mkdir -p bin/image
	CGO_ENABLED=0 GOOS=linux GOARCH=$(LAMBDA_GOARCH) go build -trimpath -ldflags "-s -w" -o bin/image/grpc ./infra/grpc
	go run ./cmd/interlude card --out bin/image/cards agents/*
	cp $(CA_BUNDLE) bin/image/ca-certificates.crt
	docker build --platform linux/$(LAMBDA_GOARCH) -t interlude-grpc -f infra/grpc/Dockerfile bin/image

test: lint unit ## everything that must pass: lint, then all tests with the race detector

unit: ## all tests with the race detector; the tests against other SDKs may not be skipped
	INTERLUDE_PEERS=required $(WITH) go test -race -shuffle=on -timeout 9m ./...

lint: ## check formatting, go vet, staticcheck, go.mod and the modules' checksums
	@unformatted=$$(gofmt -l .); test -z "$$unformatted" || \
		{ echo "not formatted (make fmt does it):" $$unformatted; exit 1; }
	go vet ./...
	go tool staticcheck ./...
	go mod tidy -diff
	go mod verify

fmt: ## format the Go sources
	gofmt -w .

test-dynoxide: ## the tests of the DynamoDB store on a second, stricter emulator (needs dynoxide)
	$(WITH) $(PYTHON) infra/tools/dynoxide.py go test -race -count=1 ./pkg/task/dynamodb

crash: ## cut the system at every call and pair of calls, lose answers, and kill it under default leases (hours)
	CRASH=all $(WITH) go test -count=1 -v -timeout 12h ./test/crash ./test/kill ./test/loss

fuzz: ## run each fuzz test for FUZZTIME (20s)
	@set -e; for package in $$(go list ./...); do \
		for name in $$(go test -list '^Fuzz' $$package | grep '^Fuzz' || true); do \
			echo "$$package $$name"; \
			go test -run '^$$' -fuzz "^$$name\$$" -fuzztime $(FUZZTIME) $$package; \
		done; \
	done

bench: ## benchmarks, and what the operations cost
	$(WITH) go test -run '^$$' -bench . -benchmem -timeout 1h ./...

# A surviving mutant ("LIVED") is a line that can be broken without a test noticing.
mutate: ## break the rules one by one; the tests should notice each (slow)
	for package in task interaction harness harness/policy; do \
		go run github.com/go-gremlins/gremlins/cmd/gremlins@v0.6.0 unleash ./pkg/$$package \
			--timeout-coefficient 20 --invert-logical --invert-assignments --invert-loopctrl --exclude-files '/' || exit; \
	done

tools: ## install what the tests need (make test does it too)
	$(WITH) true

lock: ## pin anew what infra/tools asks for (needs uv and npm)
	cd infra/tools/python && for name in requirements compiler emulator sam; do \
		uv pip compile --quiet --universal --python-version 3.10 --generate-hashes \
			--custom-compile-command 'make lock' $$name.in --output-file $$name.txt || exit; \
	done
	cd infra/tools/node && npm install --package-lock-only --ignore-scripts

clean: ## remove what was built and the data of local runs
	rm -rf bin .data .aws-sam
