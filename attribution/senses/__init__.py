"""What validators, checkers and tools say of one kind of mistake, in many wordings: a *sense*. Two texts that share hardly a
word are of one cause where both are known to say the same."""
