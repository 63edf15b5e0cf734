package deploy

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"

	"github.com/interlude-a2a/interlude/infra/emulator"
)

var root = aws.Credentials{AccessKeyID: "test", SecretAccessKey: "test"}

// signed makes a call under somebody's credentials.
func signed(t *testing.T, c aws.Credentials, service, method, url, contentType, body string, headers ...string) (status int, answer []byte) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", contentType)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	if c.HasKeys() {
		hash := sha256.Sum256([]byte(body))
		if err := v4.NewSigner().SignHTTP(context.Background(), c, r, hex.EncodeToString(hash[:]), service, emulator.Region, time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	answer, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, answer
}

// newUser makes an IAM user that may call APIs, and returns its keys.
func newUser(t *testing.T, endpoint, name string) aws.Credentials {
	t.Helper()
	iam := func(action string, values url.Values) []byte {
		values.Set("Action", action)
		values.Set("Version", "2010-05-08")
		values.Set("UserName", name)
		status, answer := signed(t, root, "iam", http.MethodPost, endpoint+"/", "application/x-www-form-urlencoded", values.Encode())
		if status != http.StatusOK {
			t.Fatalf("%s: %d %s", action, status, answer)
		}
		return answer
	}
	iam("CreateUser", url.Values{})
	iam("PutUserPolicy", url.Values{
		"PolicyName":     {"call"},
		"PolicyDocument": {`{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Action":"execute-api:Invoke","Resource":"*"}]}`},
	})
	var key struct {
		ID     string `xml:"CreateAccessKeyResult>AccessKey>AccessKeyId"`
		Secret string `xml:"CreateAccessKeyResult>AccessKey>SecretAccessKey"`
	}
	if err := xml.Unmarshal(iam("CreateAccessKey", url.Values{}), &key); err != nil || key.ID == "" {
		t.Fatalf("no access key: %v", err)
	}
	return aws.Credentials{AccessKeyID: key.ID, SecretAccessKey: key.Secret}
}

// caller calls the deployed API as one user.
type caller struct {
	url  string
	keys aws.Credentials
}

// task is what the tests read of a task.
type task struct {
	ID     string `json:"id"`
	Status struct {
		State   string `json:"state"`
		Message struct {
			Metadata map[string]struct {
				InteractionID string `json:"interactionId"`
			} `json:"metadata"`
		} `json:"message"`
	} `json:"status"`
	Artifacts []struct {
		Parts []struct {
			Text string `json:"text"`
		} `json:"parts"`
	} `json:"artifacts"`
}

const (
	interactions = "https://docs.nylorun.com/a2a/interactions/v1"
	jsonType     = "application/json"
)

// call makes a call of the HTTP+JSON binding.
func (c caller) call(t *testing.T, method, path, body string) (status int, answer []byte) {
	t.Helper()
	return signed(t, c.keys, "execute-api", method, c.url+path, jsonType, body, "A2A-Version", "1.0", "A2A-Extensions", interactions)
}

// send sends a message and returns its task.
func (c caller) send(t *testing.T, message string, more ...string) task {
	t.Helper()
	body := `{"message":` + message + strings.Join(more, "") + `}`
	status, answer := c.call(t, http.MethodPost, "/message:send", body)
	var out struct{ Task task }
	if err := json.Unmarshal(answer, &out); status != http.StatusOK || err != nil || out.Task.ID == "" {
		t.Fatalf("send: %d %s", status, answer)
	}
	return out.Task
}

func (c caller) get(t *testing.T, id string) task {
	t.Helper()
	status, answer := c.call(t, http.MethodGet, "/tasks/"+id, "")
	var out task
	if err := json.Unmarshal(answer, &out); status != http.StatusOK || err != nil {
		t.Fatalf("get: %d %s", status, answer)
	}
	return out
}

// rpc makes a call of the JSON-RPC binding and returns its result, or its error's code.
func (c caller) rpc(t *testing.T, method, params string) (result json.RawMessage, code int) {
	t.Helper()
	body := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + params + `}`
	status, answer := c.call(t, http.MethodPost, "/", body)
	var out struct {
		Result json.RawMessage
		Error  struct{ Code int }
	}
	if err := json.NewDecoder(bytes.NewReader(answer)).Decode(&out); status != http.StatusOK || err != nil {
		t.Fatalf("%s: %d %s", method, status, answer)
	}
	return out.Result, out.Error.Code
}

// answer is the message that answers a task's open interaction.
func (t task) answer(value string) string {
	id := t.Status.Message.Metadata[interactions].InteractionID
	return `{"messageId":"answer:` + id + `","taskId":"` + t.ID + `","role":"ROLE_USER","parts":[{"data":{}}],` +
		`"extensions":["` + interactions + `"],"metadata":{"` + interactions + `":{"interactionId":"` + id + `",` + value + `}}}`
}

func text(id, taskID, text string) string {
	m := map[string]any{"messageId": id, "role": "ROLE_USER", "parts": []any{map[string]string{"text": text}}}
	if taskID != "" {
		m["taskId"] = taskID
	}
	b, _ := json.Marshal(m)
	return string(b)
}
