"""Storage: fields, ndarrays, structs, meshes, and arrays of other libraries that share memory with them."""
