# cmake -DFROM=... -DTO=... -P link_package.cmake: links every file of the package FROM into TO, and removes links to files that no
# longer exist.
file(GLOB_RECURSE files RELATIVE ${FROM} ${FROM}/*.py ${FROM}/*.pyi ${FROM}/py.typed)
foreach(file ${files})
  get_filename_component(folder ${TO}/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  file(CREATE_LINK ${FROM}/${file} ${TO}/${file} SYMBOLIC)
endforeach()
file(GLOB_RECURSE links ${TO}/*.py ${TO}/*.pyi)
foreach(link ${links})
  if(IS_SYMLINK ${link} AND NOT EXISTS ${link})
    file(REMOVE ${link})
  endif()
endforeach()
