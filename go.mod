module github.com/interlude-a2a/interlude

go 1.26
