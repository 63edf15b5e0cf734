package crash

import (
	"math"
	"math/rand/v2"
)

// singles are all cuts at one call of a run of n calls.
func singles(n int) (cuts [][]cut) {
	for at := 1; at <= n; at++ {
		for k := range kinds {
			cuts = append(cuts, []cut{{at, false, k}}, []cut{{at, true, k}})
		}
	}
	return cuts
}

// pairs are all cuts at two calls.
func pairs(n int) (cuts [][]cut) {
	one := singles(n)
	for _, a := range one {
		for _, b := range one {
			if a[0].at < b[0].at {
				cuts = append(cuts, []cut{a[0], b[0]})
			}
		}
	}
	return cuts
}

// somePairs draws count cuts at two calls; count < 0: all. There may be too many to list and shuffle.
func somePairs(r *rand.Rand, n, count int) (cuts [][]cut) {
	if count < 0 {
		return pairs(n)
	}
	one := singles(n)
	for len(cuts) < count {
		if a, b := one[r.IntN(len(one))][0], one[r.IntN(len(one))][0]; a.at < b.at {
			cuts = append(cuts, []cut{a, b})
		}
	}
	return cuts
}

// sample draws n of cuts; n < 0: all.
func sample(r *rand.Rand, cuts [][]cut, n int) [][]cut {
	if n < 0 || n >= len(cuts) {
		return cuts
	}
	r.Shuffle(len(cuts), func(i, j int) { cuts[i], cuts[j] = cuts[j], cuts[i] })
	return cuts[:n]
}

// special reports whether something else happens in a scenario than questions and answers.
func (s scenario) special() bool { return s.twice || s.contended || len(s.silent) > 0 }

// sample is how many single cuts and pairs of a scenario are played, -1 for all: in make test about
// a thousand schedules of the loops on memory, some of the scripts, a few on SQLite; with CRASH=all
// every cut and, of the worlds that are not special, every pair.
func (s scenario) sample(b backend) (singles, pairs int) {
	loop, special, sqlite := s.loop != nil, s.special(), b.name == "sqlite"
	switch {
	case *all && special && sqlite:
		return -1, 300
	case *all && special:
		return -1, 3000
	case *all:
		return -1, -1
	case sqlite && special:
		return 1, 1
	case sqlite:
		return 5, 2
	case special && loop:
		return 14, 8
	case loop:
		return 170, 60
	}
	return 40, 15
}

// samplePoints is at how many calls a caller acts, and under how many single cuts each, -1 for all.
func samplePoints(b backend) (points, under int) {
	switch sqlite := b.name == "sqlite"; {
	case *all && sqlite:
		return math.MaxInt, 20
	case *all:
		return math.MaxInt, -1
	case sqlite:
		return 2, 0
	}
	return 15, 1
}
