-- The second version: text that agents are writing.

CREATE TABLE said (
	task     INTEGER NOT NULL REFERENCES task,
	fence    INTEGER NOT NULL,
	attempt  INTEGER NOT NULL,
	piece    INTEGER NOT NULL,
	events   INTEGER NOT NULL, -- number of the last event before it
	artifact TEXT    NOT NULL,
	text     TEXT    NOT NULL,
	PRIMARY KEY (task, fence, attempt, piece)
) STRICT;
