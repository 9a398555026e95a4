#include "passes/options.h"

#include <gtest/gtest.h>

namespace sdfg {
namespace {

struct Example {
  std::vector<std::int64_t> sizes{64, 8};
  bool permissive = false;
  std::string name;
  Schedule schedule = Schedule::Default;
  static constexpr auto properties =
      property_list(property("tile-sizes", &Example::sizes, "elements per dimension"),
                    property("permissive", &Example::permissive), property("name", &Example::name),
                    property("schedule", &Example::schedule));
};

TEST(Options, NothingGivesTheDefaults) {
  const auto options = parse_options<Example>("");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->sizes, (std::vector<std::int64_t>{64, 8}));
  EXPECT_EQ(print_options(*options), "");
}

TEST(Options, PrintedTextReadsBack) {
  const std::string text = "tile-sizes=1,2,3 permissive=true name='a b' schedule=GPU_Device";
  const auto options = parse_options<Example>(text);
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->name, "a b");
  EXPECT_EQ(options->schedule, Schedule::GpuDevice);
  EXPECT_EQ(print_options(*options), text);
}

TEST(Options, ASwitchStandsAlone) {
  const auto options = parse_options<Example>("permissive");
  ASSERT_TRUE(options);
  EXPECT_TRUE(options->permissive);
}

struct Empty {
  static constexpr auto properties = property_list();
};
struct More : Example {
  std::int64_t level = 1;
  static constexpr auto properties =
      extended(Example::properties, property("level", &More::level));
};

TEST(Options, AListMayBeEmptyOrThatOfABaseAndMore) {
  EXPECT_FALSE(parse_options<Empty>("level"));
  EXPECT_TRUE(describe_options<Empty>().empty());
  const auto options = parse_options<More>("name=a level=2");
  ASSERT_TRUE(options);
  EXPECT_EQ(options->level, 2);
  EXPECT_EQ(print_options(*options), "name=a level=2");
}

std::string error_of(std::string_view text) {
  const auto options = parse_options<Example>(text);
  return options ? "none" : options.error().text();
}

TEST(Options, AValueMayHoldOptionsInBraces) {
  std::vector<std::string> passes;
  ASSERT_TRUE(detail::parse_option("a{x=1,2 y}, b", passes));
  EXPECT_EQ(passes, (std::vector<std::string>{"a{x=1,2 y}", "b"}));
  const auto options = parse_options<Example>("name=a{x=1 y} permissive");
  ASSERT_TRUE(options) << options.error().text();
  EXPECT_EQ(options->name, "a{x=1 y}");
  EXPECT_TRUE(options->permissive);
  EXPECT_EQ(print_options(*options), "permissive=true name='a{x=1 y}'");
}

TEST(Options, ErrorsSayWhatWasExpected) {
  EXPECT_EQ(error_of("tile-size=1"), "unknown option 'tile-size'; did you mean 'tile-sizes'?");
  EXPECT_EQ(error_of("tile-sizes=1,x"),
            "option 'tile-sizes': expected a whole number, found 'x'");
  EXPECT_EQ(error_of("tile-sizes=99999999999999999999"),
            "option 'tile-sizes': expected a whole number, found '99999999999999999999'");
  EXPECT_EQ(error_of("permissive=maybe"),
            "option 'permissive': expected true or false, found 'maybe'");
  EXPECT_EQ(error_of("schedule=GPU_Devise"),
            "option 'schedule': unknown value 'GPU_Devise'; did you mean 'GPU_Device'?");
  EXPECT_EQ(error_of("name"), "option 'name': it needs a value; write name=VALUE");
  EXPECT_EQ(error_of("name='a"), "a quote is not closed");
  EXPECT_EQ(error_of("=1"), "expected an option, found '=1'");
}

struct None {};
TEST(Options, APassWithoutOptionsTakesNone) {
  EXPECT_TRUE(parse_options<None>(" "));
  EXPECT_EQ(parse_options<None>("x").error().text(), "unknown option 'x'; there are none");
}

}  // namespace
}  // namespace sdfg
