# Writes OUT: a hash of the SOURCES that decide which machine code a task becomes. Part of every cache key, so that an
# edited pass never meets code that an older one made.
set(text "${LLVM_VERSION}")
separate_arguments(SOURCES UNIX_COMMAND "${SOURCES}")
foreach(source ${SOURCES})
  file(SHA256 ${source} hash)
  string(APPEND text "${hash}")
endforeach()
string(SHA256 text "${text}")
string(SUBSTRING ${text} 0 16 text)
file(WRITE ${OUT} "#define QD_CODEGEN_STAMP \"${text}\"\n")
