"""One module for each kind of question a policy asks; each yields rulings on a case."""
