# The interpreter, signature hashes and the signature pool.
