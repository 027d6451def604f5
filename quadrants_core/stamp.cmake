# Writes OUT: NAME, a hash of the files that SOURCES lists, one a line after a first line that is hashed as it is. Part of
# cache keys, so that an edited pass never meets code that an older one made.
file(STRINGS ${SOURCES} lines)
list(POP_FRONT lines text)
foreach(source ${lines})
  file(SHA256 ${source} hash)
  string(APPEND text "\n${hash}")
endforeach()
string(SHA256 text "${text}")
string(SUBSTRING ${text} 0 16 text)
file(WRITE ${OUT} "#define ${NAME} \"${text}\"\n")
