"""What a pattern means, beyond how it is written: read into a tree, brought to one form, given examples, intersected."""
