package pkg

// Deep is far down.
func Deep() {
	panic("x")
	// never
	deeper()
}
