// Writes the SDFG of the example to standard output, as JSON.

#include <cstdio>

#include "ir/builder.h"
#include "serialize/save.h"

namespace {

using namespace sdfg;

/// Solves (1 + 2 g) x[k] - g (x[k - 1] + x[k + 1]) = w[k] - dt div[k] in one column, by Thomas'
/// algorithm: down with the coefficients c and d, then up with the solution.
Sdfg column_solve() {
  Builder b("column_solve");
  b.symbol("n_levels");
  b.symbol("k");
  b.scalar("dt", BaseType::Float64);
  b.scalar("g", BaseType::Float64);
  b.array("div", BaseType::Float64, "n_levels");
  b.array("w", BaseType::Float64, "n_levels");
  b.transient("c", BaseType::Float64, "n_levels");
  b.transient("d", BaseType::Float64, "n_levels");

  b.state("top").tasklet(
      "first_row", {{"g_", "g"}, {"w_", "w[0]"}, {"div_", "div[0]"}, {"dt_", "dt"}},
      "c_ = -g_ / (1.0 + 2.0 * g_)\nd_ = (w_ - dt_ * div_) / (1.0 + 2.0 * g_)",
      {{"c_", "c[0]"}, {"d_", "d[0]"}});
  b.loop("k", "1", "k < n_levels", "k + 1", "down")
      .state("eliminate")
      .tasklet("row",
               {{"g_", "g"}, {"w_", "w[k]"}, {"div_", "div[k]"}, {"dt_", "dt"},
                {"c_above", "c[k - 1]"}, {"d_above", "d[k - 1]"}},
               "pivot = 1.0 + 2.0 * g_ + g_ * c_above\n"
               "c_ = -g_ / pivot\n"
               "d_ = (w_ - dt_ * div_ + g_ * d_above) / pivot",
               {{"c_", "c[k]"}, {"d_", "d[k]"}});
  b.state("bottom").copy("d[n_levels - 1]", "w[n_levels - 1]");
  b.loop("k", "n_levels - 2", "k >= 0", "k - 1", "up")
      .state("substitute")
      .tasklet("row", {{"c_", "c[k]"}, {"d_", "d[k]"}, {"w_below", "w[k + 1]"}},
               "w_ = d_ - c_ * w_below", {{"w_", "w[k]"}});
  return b.take();
}

Sdfg dycore() {
  Builder b("dycore");
  for (const char* size : {"n_cells", "n_edges", "n_levels"}) b.symbol(size);
  b.array("e2c", BaseType::Int32, "n_edges, 2");
  b.array("c2e", BaseType::Int32, "n_cells, 3");
  b.array("inverse_length", BaseType::Float64, "n_edges");
  b.array("geofac_div", BaseType::Float64, "n_cells, 3");
  b.array("gamma", BaseType::Float64, "n_cells");
  b.array("pressure", BaseType::Float64, "n_cells, n_levels");
  b.array("vn", BaseType::Float64, "n_edges, n_levels");
  b.array("w", BaseType::Float64, "n_cells, n_levels");
  b.array("w_surface", BaseType::Float64, "n_cells");
  b.scalar("dt", BaseType::Float64);
  b.transient("div", BaseType::Float64, "n_cells, n_levels");

  // What front ends leave behind: an option that is switched off, and symbols that nothing reads.
  b.symbol("limited_area");
  b.symbol("n_halo");
  b.assign({{"n_halo", "n_cells - n_edges"}});
  b.conditional("boundary").branch("1 > 2").state("nudge").map(
      "nudge", "e, k", "0:n_edges, 0:n_levels", {{"v", "vn[e, k]"}}, "o = 0.5 * v",
      {{"o", "vn[e, k]"}});

  b.state("gradient")
      .map("normal_wind", "e, k", "0:n_edges, 0:n_levels",
           {{"c0", "e2c[e, 0]"}, {"c1", "e2c[e, 1]"}, {"p", "pressure"},
            {"s", "inverse_length[e]"}, {"v", "vn[e, k]"}, {"dt_", "dt"}},
           "o = v - dt_ * ((p[c1, k] - p[c0, k]) * s)", {{"o", "vn[e, k]"}});
  b.state("divergence")
      .map("divergence", "c, k", "0:n_cells, 0:n_levels",
           {{"e0", "c2e[c, 0]"}, {"e1", "c2e[c, 1]"}, {"e2", "c2e[c, 2]"},
            {"v", "vn"}, {"g0", "geofac_div[c, 0]"}, {"g1", "geofac_div[c, 1]"},
            {"g2", "geofac_div[c, 2]"}},
           "o = v[e0, k] * g0 + v[e1, k] * g1 + v[e2, k] * g2", {{"o", "div[c, k]"}});

  StateBuilder solve = b.state("solve");
  solve.open_map("columns", "c", "0:n_cells");
  solve.nested(column_solve(),
               {{"div", "div[c, 0:n_levels]"}, {"dt", "dt"}, {"g", "gamma[c]"},
                {"w", "w[c, 0:n_levels]"}},
               {{"w", "w[c, 0:n_levels]"}});
  solve.close_map();

  // A map over one level, as slicing makes them.
  b.state("surface").map("surface", "c, k", "0:n_cells, n_levels - 1", {{"v", "w[c, k]"}}, "o = v",
                         {{"o", "w_surface[c]"}});
  return b.take();
}

}  // namespace

int main() {
  const auto json = save(dycore());
  if (!json) {
    std::fprintf(stderr, "%s\n", json.error().text().c_str());
    return 1;
  }
  std::fwrite(json->data(), 1, json->size(), stdout);
  return 0;
}
