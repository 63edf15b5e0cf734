-- The first version of the schema. Times are nanoseconds since 1970, but status_at, which is
-- milliseconds, as A2A writes them.

CREATE TABLE task (
	row         INTEGER PRIMARY KEY,
	namespace   TEXT    NOT NULL, -- a JSON array
	tenant      TEXT    NOT NULL,
	owner       TEXT    NOT NULL,
	id          TEXT    NOT NULL,
	context     TEXT    NOT NULL,
	state       TEXT    NOT NULL,
	status_at   INTEGER NOT NULL,
	bare        INTEGER NOT NULL, -- 1: not listed
	record      TEXT    NOT NULL, -- JSON; what the next three say in it is stale
	lease_until INTEGER,
	pushed      INTEGER,
	wake        INTEGER,
	UNIQUE (namespace, tenant, owner, id)
) STRICT;

CREATE INDEX task_by_owner   ON task (namespace, tenant, owner, status_at, id, state) WHERE bare = 0;
CREATE INDEX task_by_context ON task (namespace, tenant, owner, context, status_at, id, state) WHERE bare = 0;
CREATE INDEX task_by_wake    ON task (namespace, wake) WHERE wake IS NOT NULL;

CREATE TABLE event (
	task INTEGER NOT NULL REFERENCES task,
	seq  INTEGER NOT NULL,
	body TEXT    NOT NULL, -- JSON
	PRIMARY KEY (task, seq)
) STRICT;

CREATE TABLE journal (
	task  INTEGER NOT NULL REFERENCES task,
	name  TEXT    NOT NULL,
	value BLOB    NOT NULL,
	PRIMARY KEY (task, name)
) STRICT;

CREATE TABLE turn (
	namespace TEXT    NOT NULL,
	tenant    TEXT    NOT NULL,
	owner     TEXT    NOT NULL,
	context   TEXT    NOT NULL,
	version   INTEGER NOT NULL, -- 1 for a conversation's first turn
	messages  TEXT    NOT NULL, -- a JSON array
	PRIMARY KEY (namespace, tenant, owner, context, version)
) STRICT;
