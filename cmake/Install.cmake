# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
#
# cmake --install build: the programs, and beside them in share/ what they read. The trainer keeps finding LibTorch
# where it was when it was linked.
foreach(program slipway slipway-desktop slipway-train)
    if(TARGET ${program})
        set_target_properties(${program} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
    endif()
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/resources/ DESTINATION ${CMAKE_INSTALL_DATADIR}/slipway)
install(
    FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/slipway
)
