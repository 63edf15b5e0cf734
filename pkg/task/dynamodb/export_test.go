package dynamodb

// The bounds, for tests at and beside them.
const (
	MaxBody   = maxBody
	MaxTail   = maxTail
	MaxInline = maxInline
	MaxRows   = maxRows
	MaxName   = maxName

	ConflictTries = conflictTries
)

// Keys of a task.
var (
	TaskPartition    = taskPartition
	JournalPartition = journalPartition
	HeaderKey        = header
)
