"""The checks, one family a file; `compiling` lists them."""
