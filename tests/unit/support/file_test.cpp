#include "support/file.h"

#include <filesystem>

#include <gtest/gtest.h>

namespace sdfg {
namespace {

TEST(Gzip, PacksAndUnpacksSeveralMembers) {
  const std::string text(100000, 'x');
  const std::string packed = gzip(text) + gzip("y");
  EXPECT_TRUE(is_gzip(packed));
  EXPECT_EQ(*gunzip(packed), text + "y");
  EXPECT_EQ(*gunzip(gzip("")), "");
  EXPECT_EQ(gzip(text), gzip(text));
}

TEST(Gzip, SaysWhatIsWrong) {
  const std::string packed = gzip("some text that is packed");
  EXPECT_EQ(gunzip(packed.substr(0, packed.size() - 3)).error().message,
            "the compressed data is cut short");
  EXPECT_EQ(gunzip(packed + "tail").error().message,
            "something that is not gzip follows the compressed data");
  std::string broken = packed;
  broken[12] = char(~broken[12]);
  EXPECT_NE(gunzip(broken).error().message.find("corrupt"), std::string::npos);
  EXPECT_EQ(gunzip(gzip(std::string(5000, 'a')), 4999).error().message,
            "the compressed data unpacks to more than 4999 bytes");
  EXPECT_EQ(*gunzip(gzip(std::string(5000, 'a')), 5000), std::string(5000, 'a'));
}

TEST(File, WritesWholeFilesAndNamesWhatFails) {
  const std::string path = (std::filesystem::path(testing::TempDir()) / "sdfg_file_test").string();
  ASSERT_TRUE(write_file(path, "one"));
  ASSERT_TRUE(write_file(path, "two"));
  EXPECT_EQ(*read_file(path), "two");
  std::filesystem::remove(path);
  EXPECT_EQ(read_file(path).error().text(), path + ": cannot be opened: No such file or directory");
  EXPECT_EQ(read_file(testing::TempDir()).error().message, "is a folder");
}

}  // namespace
}  // namespace sdfg
