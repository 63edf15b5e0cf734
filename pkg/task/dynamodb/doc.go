// Package dynamodb keeps tasks in one DynamoDB table (STORE-04, STORE-06).
//
// The functions call it: api creates, reads, lists, answers and cancels; turn claims, renews,
// commits and marks; recover finds what is due. README.md has the items, the indexes and every
// access pattern with its cost.
//
// A transition is one atomic write on condition of the revision and, in a run, of fence and lease.
// While what it adds is small it goes into the task's header, by one UpdateItem; when the header
// is full, or a row is big, the same transition is one transaction of the header and rows of their
// own. Parts of what is too big even for a row are written before, under an id that only the
// transition makes known. So nobody sees half a transition, and what a lost run wrote before a
// refused one is never looked at.
//
// A refused condition comes back with the item that it met, and that item alone decides: no second
// read. A transaction conflict is no refusal and is tried again. Whatever else fails leaves open
// whether it took effect, and is the caller's to repeat.
package dynamodb
