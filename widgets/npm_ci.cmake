# cmake -DNPM=... -P npm_ci.cmake, in the folder of a package: runs `npm ci`, unless node_modules already matches this lock file (another
# build folder installed it, or a checkout touched the file).
file(SHA256 package-lock.json wanted)
set(present "")
if(EXISTS node_modules/.lock.sha256)
  file(READ node_modules/.lock.sha256 present)
endif()
if(NOT present STREQUAL wanted)
  execute_process(COMMAND ${NPM} ci --silent --no-fund --no-audit RESULT_VARIABLE failed)
  if(failed)
    message(FATAL_ERROR "npm ci failed: ${failed}")
  endif()
endif()
file(WRITE node_modules/.lock.sha256 ${wanted})
