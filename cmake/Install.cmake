# SPDX-FileCopyrightText: 2026 Slipway developers
# SPDX-License-Identifier: GPL-3.0-only
#
# cmake --install build: the programs, and beside them in share/ what they read. The trainer keeps finding LibTorch
# where it was when it was linked.
foreach(program slipway slipway-desktop slipway-train)
    if(TARGET ${program})
        set_target_properties(${program} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
        set(component main)
        if(program STREQUAL "slipway-train")
            set(component trainer)
        endif()
        install(TARGETS ${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT ${component})
    endif()
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/resources/ DESTINATION ${CMAKE_INSTALL_DATADIR}/slipway COMPONENT main)
install(
    FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md
    DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/slipway
    COMPONENT main
)
if(TARGET slipway-desktop)
    set(desktop_files ${CMAKE_SOURCE_DIR}/packaging/desktop/org.slipway.slipway)
    install(FILES ${desktop_files}.desktop DESTINATION ${CMAKE_INSTALL_DATADIR}/applications COMPONENT main)
    install(FILES ${desktop_files}.metainfo.xml DESTINATION ${CMAKE_INSTALL_DATADIR}/metainfo COMPONENT main)
    install(FILES ${desktop_files}.svg DESTINATION ${CMAKE_INSTALL_DATADIR}/icons/hicolor/scalable/apps COMPONENT main)
endif()
