#include "tools/common/build.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "support/file.h"
#include "support/hash.h"
#include "support/text.h"
#include "tools/common/process.h"

namespace sdfg {

namespace {

namespace fs = std::filesystem;

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::string cache_folder(const BuildOptions& options) {
  if (!options.cache.empty()) return options.cache;
  if (std::string set = variable("SDFG_CACHE"); !set.empty()) return set;
  if (std::string set = variable("XDG_CACHE_HOME"); !set.empty()) return set + "/sdfg";
  if (std::string home = variable("HOME"); !home.empty()) return home + "/.cache/sdfg";
  std::error_code ignored;
  return (fs::temp_directory_path(ignored) / "sdfg-cache").string();
}

/// Holds a lock file until it goes away; the system gives it back when the process dies.
class FileLock {
 public:
  explicit FileLock(const std::string& path)
      : descriptor_(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666)) {
    while (descriptor_ >= 0 && flock(descriptor_, LOCK_EX) < 0 && errno == EINTR) {
    }
  }
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  explicit operator bool() const { return descriptor_ >= 0; }

 private:
  int descriptor_;
};

std::string first_complaint(const std::string& output) {
  for (std::string_view line : split(output, '\n'))
    if (line.find("error") != std::string_view::npos) return std::string(trim(line));
  const auto lines = split(output, '\n');
  return lines.empty() ? std::string() : std::string(trim(lines.front()));
}

Diagnostic cannot_write(const std::string& path, const std::error_code& why) {
  return {"", "cannot write the build cache at " + path + ": " + why.message(),
          "set SDFG_CACHE to a folder that can be written"};
}

}  // namespace

Result<Built> build(const Bundle& bundle, const BuildOptions& options) {
  std::string compiler = options.compiler.empty() ? variable("CXX") : options.compiler;
  if (compiler.empty()) compiler = "c++";
  const std::string cache = cache_folder(options);
  std::error_code failed;
  fs::create_directories(cache, failed);
  if (failed) return cannot_write(cache, failed);

  // Two hashes side by side make a key of 128 bits.
  const std::string version_file = fmt::format("{}/version-{}", cache, getpid());
  if (run_command({compiler, "--version"}, version_file) != 0) {
    fs::remove(version_file, failed);
    return Diagnostic{"", "the compiler '" + compiler + "' cannot be run",
                      "install it, or name another one in the environment variable CXX"};
  }
  const auto version = read_file(version_file);
  fs::remove(version_file, failed);
  if (!version) return version.error();
  Hasher low, high;
  high.add(std::uint64_t(1));
  for (Hasher* hasher : {&low, &high}) {
    hasher->add(compiler).add(*version);
    for (const std::string& flag : options.flags) hasher->add(flag);
    for (const GeneratedFile& file : bundle.files) hasher->add(file.name).add(file.text);
  }
  const std::string key = fmt::format("{:016x}{:016x}", high.value(), low.value());
  const std::string folder = cache + "/" + key;

  Built built{.path = folder + "/" + bundle.name,
              .command = {},
              .output = folder + "/output.txt",
              .cached = true};
  std::vector<std::string> command{compiler};
  command.insert(command.end(), options.flags.begin(), options.flags.end());
  const std::string work = folder + ".tmp";
  for (std::string word :
       {work + "/" + bundle.files.front().name, std::string("-o"), work + "/" + bundle.name})
    command.push_back(std::move(word));
  built.command = join(command, " ");
  if (fs::exists(built.path, failed)) return built;

  const FileLock lock(folder + ".lock");
  if (!lock) return cannot_write(folder + ".lock", {errno, std::generic_category()});
  if (fs::exists(built.path, failed)) return built;  // somebody else was faster
  built.cached = false;
  fs::remove_all(work, failed);  // of a build that was killed
  fs::remove_all(folder, failed);
  fs::create_directories(work, failed);
  if (failed) return cannot_write(work, failed);
  for (const GeneratedFile& file : bundle.files)
    if (auto written = write_file(work + "/" + file.name, file.text); !written)
      return written.error();
  const std::string log = work + "/output.txt";
  const int status = run_command(command, log);
  if (status != 0) {
    const auto output = read_file(log);
    fs::remove_all(work, failed);
    return Diagnostic{"", fmt::format("the compiler failed (exit status {}): {}", status,
                                      output ? first_complaint(*output) : std::string()),
                      "the command was: " + built.command};
  }
  fs::rename(work, folder, failed);
  if (failed) return cannot_write(folder, failed);
  return built;
}

}  // namespace sdfg
