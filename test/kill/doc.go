// Package kill ends the local system with kill -9 in the middle of a turn and starts it again.
package kill
