#include "tools/common/gpu_report.h"

#include <gtest/gtest.h>

namespace sdfg {
namespace {

TEST(GpuReport, ReadsWhatPtxasPrints) {
  const auto kernels = parse_ptxas(R"(ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_Z5scan2Pdl' for 'sm_90'
ptxas info    : Function properties for _Z5scan2Pdl
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 56 registers, used 1 barriers, 1024 bytes smem
ptxas info    : Compiling entry function '_ZN4sdfg8copy_boxIddLi2EEEvPT_' for 'sm_90'
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 20 registers, used 0 barriers
)", "");
  ASSERT_EQ(kernels.size(), 2u);
  EXPECT_EQ(kernels[0].name, "scan2");
  EXPECT_EQ(kernels[0].registers, 56);
  EXPECT_EQ(kernels[0].spilled, 20);
  EXPECT_EQ(kernels[0].stack, 16);
  EXPECT_EQ(kernels[0].shared, 1024);
  EXPECT_EQ(kernels[1].name, "sdfg::copy_box<double, double, 2>");
  EXPECT_EQ(kernels[1].registers, 20);
  EXPECT_EQ(kernels[1].spilled, 0);
}

TEST(GpuReport, ReadsAmdAssembly) {
  const auto kernels = parse_amdgpu(R"(	.globl	_Z5scan2Pdl ; -- Begin function _Z5scan2Pdl
; codeLenInByte = 1234
	.amdgpu_metadata
---
amdhsa.kernels:
  - .agpr_count:     0
    .args:
      - .name:           A.coerce
        .offset:         0
    .group_segment_fixed_size: 512
    .name:           _Z5scan2Pdl
    .private_segment_fixed_size: 24
    .sgpr_count:     42
    .sgpr_spill_count: 1
    .symbol:         _Z5scan2Pdl.kd
    .vgpr_count:     130
    .vgpr_spill_count: 2
)");
  ASSERT_EQ(kernels.size(), 1u);
  EXPECT_EQ(kernels[0].name, "scan2");
  EXPECT_EQ(kernels[0].registers, 130);
  EXPECT_EQ(kernels[0].scalar_registers, 42);
  EXPECT_EQ(kernels[0].spilled, 3);
  EXPECT_EQ(kernels[0].stack, 24);
  EXPECT_EQ(kernels[0].shared, 512);
  EXPECT_EQ(kernels[0].code, 1234);
}

TEST(GpuReport, DamagedFilesGiveNoSizes) {
  EXPECT_TRUE(parse_ptxas("", std::string(64, 'x')).empty());
  EXPECT_EQ(parse_ptxas("Compiling entry function '_Z1fv' for", "\x7f" "ELF")[0].code, 0);
}

}  // namespace
}  // namespace sdfg
