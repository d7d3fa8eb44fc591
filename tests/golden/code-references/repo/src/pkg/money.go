package pkg

import "math"

// Money is an amount in cents.
type Money struct {
	Cents int64
}

// Round rounds half away from zero.
//
// It is exact for amounts below a trillion.
func (m Money) Round(step int64) Money {
	half := step / 2
	if m.Cents < 0 {
		half = -half
	}
	return Money{(m.Cents + half) / step * step}
}

// Add adds two amounts.
func (m Money) Add(other Money) Money {
	return Money{m.Cents + other.Cents}
}

// Split splits an amount into n parts that differ by one cent at most.
func (m Money) Split(n int64) []Money {
	parts := make([]Money, n)
	rest := m.Cents % n
	for i := range parts {
		parts[i].Cents = m.Cents / n
		if int64(i) < rest {
			parts[i].Cents++
		}
	}
	return parts
}

// Float returns the amount in whole units.
func (m Money) Float() float64 {
	return math.Round(float64(m.Cents)) / 100
}

// Tax returns the tax at a rate in percent.
func (m Money) Tax(rate int64) Money {
	return Money{m.Cents * rate / 100}
}

// Less compares two amounts.
func (m Money) Less(other Money) bool {
	return m.Cents < other.Cents
}

// Zero returns whether there is nothing.
func (m Money) Zero() bool { return m.Cents == 0 }

// Neg changes the sign.
func (m Money) Neg() Money {
	return Money{-m.Cents}
}
