package dynamodb

// The bounds, for tests at and beside them.
const (
	MaxBody   = maxBody
	MaxTail   = maxTail
	MaxInline = maxInline
	MaxRows   = maxRows
	MaxName   = maxName

	FilteredPage = filteredPage

	ConflictTries = conflictTries
)

// Keys of a task.
var (
	TaskPartition    = taskPartition
	JournalPartition = journalPartition
	HeaderKey        = header
)

// ErrMoved is of a journal that changed too often while it was read.
var ErrMoved = errMoved
