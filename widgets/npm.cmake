# Node and npm for the front end: `npm` and `node` are command lines, `npm_packages` installs the packages of a folder's lock file.
find_program(NPM npm HINTS ${PROJECT_SOURCE_DIR}/.venv/bin)
if(NOT NPM)
  message(FATAL_ERROR "npm is needed for the front end: run .ci/setup.sh, or configure with -DQD_WIDGETS=OFF")
endif()
get_filename_component(node_folder ${NPM} DIRECTORY)
set(npm ${CMAKE_COMMAND} -E env "PATH=${node_folder}:$ENV{PATH}" ${NPM})
set(node ${CMAKE_COMMAND} -E env "PATH=${node_folder}:$ENV{PATH}" node)

# Sets `variable` to a file that exists, and is newer than the lock file, once the packages of the current folder are installed.
function(npm_packages variable what)
  set(done ${CMAKE_CURRENT_SOURCE_DIR}/node_modules/.lock.sha256)
  add_custom_command(
    OUTPUT ${done}
    COMMAND ${CMAKE_COMMAND} -E env "PATH=${node_folder}:$ENV{PATH}" ${CMAKE_COMMAND} -DNPM=${NPM}
            -P ${PROJECT_SOURCE_DIR}/widgets/npm_ci.cmake
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
    DEPENDS package-lock.json
    COMMENT "Installing npm packages of ${what}")
  set(${variable} ${done} PARENT_SCOPE)
endfunction()
