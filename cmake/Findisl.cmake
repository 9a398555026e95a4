# Finds isl, which ships no CMake package: isl::isl.
find_path(isl_INCLUDE_DIR isl/set.h)
find_library(isl_LIBRARY NAMES libisl.a isl)
find_library(isl_GMP_LIBRARY NAMES libgmp.a gmp)  # what the archive needs
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(isl REQUIRED_VARS isl_LIBRARY isl_INCLUDE_DIR)
if(isl_FOUND AND NOT TARGET isl::isl)
  add_library(isl::isl UNKNOWN IMPORTED)
  set_target_properties(isl::isl PROPERTIES
    IMPORTED_LOCATION "${isl_LIBRARY}"
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES "${isl_INCLUDE_DIR}")
  if(isl_LIBRARY MATCHES "\\.a$" AND isl_GMP_LIBRARY)
    set_target_properties(isl::isl PROPERTIES INTERFACE_LINK_LIBRARIES "${isl_GMP_LIBRARY}")
  endif()
endif()
mark_as_advanced(isl_INCLUDE_DIR isl_LIBRARY isl_GMP_LIBRARY)
