import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.system import package_manager

bridges = ("xtensor", "blas", "zlib", "eigen")


class Tracexpr(ConanFile):
    name = "tracexpr"
    description = "A tensor compiler that runs inside the C++ compiler"
    license = "BSD-3-Clause"
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {f"with_{bridge}": [True, False] for bridge in bridges} | {"system": [True, False]}
    # system: what tracexpr builds on comes from the system's packages. Conan's own have no xtensor-blas.
    default_options = {option: False for option in options}
    exports_sources = "CMakeLists.txt", "LICENSE", "cmake/*", "include/*"
    no_copy_source = True
    test_package_folder = "tests/package"

    def set_version(self):
        config = load(self, f"{self.recipe_folder}/include/tracexpr/base/config.hpp")
        self.version = ".".join(re.findall(r"define TRACEXPR_VERSION_\w+ (\d+)", config))

    def layout(self):
        cmake_layout(self)

    def configure(self):
        if not self.options.system:
            del self.options.with_xtensor

    def requirements(self):
        if self.options.system:
            return
        self.requires("xsimd/13.0.0")
        if self.options.with_blas:
            self.requires("openblas/0.3.30")
        if self.options.with_zlib:
            self.requires("zlib/[>=1.2.11 <2]")
        if self.options.with_eigen:
            self.requires("eigen/3.4.0")

    def system_requirements(self):
        if not self.options.system:
            return
        packages = ["libxsimd-dev", "xtl-dev"]
        if self.options.with_xtensor:
            packages += ["libxtensor-dev", "libxtensor-blas-dev", "libopenblas-dev"]
        if self.options.with_blas:
            packages.append("libopenblas-dev")
        if self.options.with_zlib:
            packages.append("zlib1g-dev")
        if self.options.with_eigen:
            packages.append("libeigen3-dev")
        package_manager.Apt(self).install(packages, check=True)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        for setting in ("os", "arch", "compiler", "build_type"):
            self.info.settings.rm_safe(setting)  # headers fit all of them; the options say what the bridges find

    def generate(self):
        CMakeDeps(self).generate()
        CMakeToolchain(self).generate()

    def build(self):
        CMake(self).configure()

    def package(self):
        CMake(self).install(component="tracexpr")  # without the licence, which Conan has in a place of its own
        copy(self, "LICENSE", self.source_folder, f"{self.package_folder}/licenses")

    def package_info(self):  # CMake finds the package file that tracexpr installs
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = ["share/cmake/tracexpr"]
        self.cpp_info.bindirs = []
        self.cpp_info.libdirs = []
