// Package tour walks the README's tour as a newcomer would.
package tour
