// Addresses in kernels. An index has a part that all threads of a block share and a part that
// differs between them. The first goes into a row pointer, declared before the innermost loop that
// it depends on; the second is what the element is looked up with. So a compiler keeps row pointers
// in scalar registers and adds 32-bit lanes, and a reader sees `vn_row[x]`.

#include <algorithm>

#include "codegen/sdfg_function.h"
#include "ir/analysis/memlet_path.h"
#include "ir/expr_quotient.h"
#include "ir/expr_symbols.h"

namespace sdfg {

namespace {

/// The terms of a sum, without bringing anything to normal form; those that divide are not
/// integers one by one.
void flatten(const Expr& e, bool negative, std::vector<Expr>& terms) {
  if (e.is(Op::Add)) {
    for (const Expr& a : e.args()) flatten(a, negative, terms);
  } else if (e.is(Op::Sub)) {
    flatten(e.arg(0), negative, terms);
    flatten(e.arg(1), !negative, terms);
  } else if (e.is(Op::Neg)) {
    flatten(e.arg(0), !negative, terms);
  } else {
    terms.push_back(negative ? -e : e);
  }
}

/// What a multiple of a kernel's parameter contributes to an index: through where the parameter
/// begins, and as a lane, of which one more is `step` more.
struct Along {
  Expr begin, lane;
  std::int64_t step;
};
std::optional<Along> along(const Expr& term, const std::string& param, const LaneParam& over) {
  if (term.is_symbol(param))
    return Along{over.begin, Expr(over.step) * Expr::symbol(over.lane), over.step};
  if (!uses_symbol(term, param)) return std::nullopt;
  const auto affine = match_affine(term, param);
  const auto factor = affine ? affine->coefficient.as_integer() : std::nullopt;
  if (!factor || !(affine->rest.as_integer() == 0)) return std::nullopt;
  const std::int64_t step = *factor * over.step;
  return Along{Expr(*factor) * over.begin, Expr(step) * Expr::symbol(over.lane), step};
}

/// stride * count, without factors that are one.
std::string product(const CppExpr& printer, const Expr& stride, const Expr& count) {
  if (stride.as_integer() && count.as_integer())
    if (const auto number = (count * stride).as_integer()) return cpp_integer(*number);
  if (stride.as_integer() == 1) return printer.operand(count);
  if (count.as_integer() == 1) return printer.operand(stride);
  return printer.operand(stride) + " * " + printer.operand(count);
}

}  // namespace

bool is_plain(const Expr& e) {
  if (e.is(Op::Integer) || e.is(Op::Symbol)) return true;
  if (e.is(Op::Pow)) return is_plain(e.arg(0)) && e.arg(1).as_integer().value_or(0) > 0;
  if (!e.is(Op::Add) && !e.is(Op::Mul) && !e.is(Op::Min) && !e.is(Op::Max)) return false;
  for (const Expr& a : e.args())
    if (!is_plain(a)) return false;
  return true;
}

/// A failure when code of one side would touch memory of the other.
bool SdfgFunction::reachable(const Binding& binding, const std::string& container,
                             const Place& place, bool one) {
  if (!program_.target.gpu || binding.device == on_device_ || binding.own) return true;
  // Kernels and functions define the constants that they use.
  if (const Constant* constant = sdfg_.constants.get(container);
      constant && binding.data == &constant->data)
    return true;
  if (!on_device_ && one) return true;  // one element: it is fetched or sent
  if (on_device_) {
    if (binding.kind == Binding::Stream || binding.kind == Binding::Struct) {
      fail(place, "kernels take no structures or streams, and '" + container + "' is one",
           "keep it on the host");
      return false;
    }
    if (container.find('.') != std::string::npos) {
      fail(place, "kernels take no structures, and '" + container + "' is a member of one",
           "keep it on the host");
      return false;
    }
    if (binding.kind == Binding::Value) return true;  // by value; writing it is refused elsewhere
    fail(place, "a kernel touches '" + container + "', which is memory of the host",
         "run --gpu-transformation, or give it the storage GPU_Global");
  } else {
    fail(place, "code of the host touches '" + container + "', which is memory of the GPU",
         "run --gpu-transformation, which makes a kernel of it, or copy to the host first");
  }
  return false;
}

bool SdfgFunction::uniform(const Expr& expr) const {
  return is_plain(expr) && !any_symbol(expr, [&](const std::string& symbol) {
    return lanes_.contains(symbol) || lane_params_.contains(symbol) ||
           bindings_.contains(symbol) || code_names_.contains(symbol);
  });
}

/// Is the value written here never taken by address, so that it can be const?
bool SdfgFunction::is_final(const At& at, EdgeId write) const {
  NodeId target = path_target(at.state, write);
  for (EdgeId e : at.state.out(target)) {
    const Node& reader = at.state[path_target(at.state, e)];
    const auto* tasklet = reader.as<Tasklet>();
    if (!reader.is<AccessNode>() && !(tasklet && tasklet->code.language() == Language::Python))
      return false;
  }
  return true;
}

/// Does the host know the value when it launches the kernel being printed?
bool SdfgFunction::known_to_host(const Expr& expr) const {
  return in_kernel_itself_ && std::ranges::none_of(frames_, [&](const Frame& frame) {
    return uses_any(expr, frame.defines);
  });
}

/// The name under which the kernel gets a value that the host computes.
std::string SdfgFunction::host_value(const std::string& stem, const std::string& text,
                                     const std::string& type) const {
  const auto [found, is_new] = host_values_.try_emplace({type, text});
  if (is_new) found->second = local_name(stem);
  return found->second;
}

/// stride * rows in 64 bits, where `rows` is an int: one instruction when the stride has 32 bits,
/// too, as the caller's strides have.
std::string SdfgFunction::pitch(const Binding& binding, const Expr& stride,
                                const Expr& rows) const {
  const std::string text = symbolic().operand(rows);
  if (stride.is(Op::Integer)) return "int64_t(" + symbolic().print(stride) + ") * " + text;
  const auto type = stride.is(Op::Symbol) ? types_.find(stride.name()) : types_.end();
  const bool given = caller_.empty() && type != types_.end() &&
                     type->second.base() == BaseType::Int32 && !assigned_.contains(stride.name()) &&
                     known_to_host(stride);
  if (!given) return "";
  return "int64_t(" + host_value(binding.text + "_pitch", cpp_name(stride.name()), "int32_t") +
         ") * " + text;
}

/// Does the kernel get the address of the first element it reads, instead of the container's? Not
/// where it writes, too: two restricted pointers must not lead to what one of them changes.
bool SdfgFunction::passes_first(const Binding& binding) const {
  return in_kernel_itself_ && binding.kind == Binding::Pointer && !binding.aliased &&
         !program_.has_references &&
         cpp_type(binding.data->dtype) && host_pointers_.contains(binding.text) &&
         !kernel_writes_->contains(binding.memory()) && !kernel_writes_->contains(binding.text);
}

void SdfgFunction::open_frame(const Writer& out, const std::vector<std::string>& defines) {
  frames_.push_back({out.mark(), {}, Writer(out.depth()), {}});
  frames_.back().defines.insert(defines.begin(), defines.end());
}

void SdfgFunction::close_frame(Writer& out) {
  out.insert(frames_.back().mark, frames_.back().declarations.text());
  frames_.pop_back();
}

std::string SdfgFunction::row(const Binding& binding, const std::string& first,
                              const std::string& offset,
                              const std::vector<Expr>& depends) const {
  if (offset.empty()) return first;
  std::size_t place = 0;
  for (std::size_t i = 1; i < frames_.size(); ++i)
    if (std::ranges::any_of(depends,
                            [&](const Expr& e) { return uses_any(e, frames_[i].defines); }))
      place = i;
  Frame& frame = frames_[place];
  const std::string value = first + " + " + offset;
  const auto [found, is_new] = frame.names.try_emplace(value);
  if (is_new) {
    found->second = local_name(binding.text + "_row");
    frame.declarations.line("auto* const ", found->second, " = ", value, ";");
  }
  return found->second;
}

/// What an index consists of: the part that threads share, the lane, and whether there is more, so
/// that the whole index is looked up with.
struct SdfgFunction::IndexParts {
  std::vector<Expr> terms;
  Expr same = 0, lane = 0;
  bool rest = false;
};

SdfgFunction::IndexParts SdfgFunction::index_parts(const Expr& index, const Expr& offset) const {
  IndexParts out;
  flatten(index, false, out.terms);
  if (!(offset.as_integer() == 0)) flatten(offset, false, out.terms);
  if (const auto divided = std::ranges::stable_partition(out.terms, std::not_fn(has_quotient));
      !divided.empty()) {
    Expr sum = 0;
    for (const Expr& term : divided) sum = sum + term;
    out.terms.erase(divided.begin(), divided.end());
    out.terms.push_back(std::move(sum));
  }
  for (const Expr& term : out.terms) {
    if (row_param_)
      if (const auto row = along(term, row_param_->first, row_param_->second)) {
        out.same = out.same + row->begin + row->lane;
        continue;
      }
    if (uniform(term)) {
      out.same = out.same + term;
      continue;
    }
    std::optional<Along> lane;
    for (auto it = lane_params_.begin(); it != lane_params_.end() && !lane; ++it) {
      lane = along(term, it->first, it->second);
      if (lane && lane->step <= 0) lane.reset();
    }
    out.rest |= !lane;
    if (!lane) continue;
    out.same = out.same + lane->begin;
    out.lane = out.lane + lane->lane;
  }
  return out;
}

/// The sum of the terms, counted from element 0 of the dimension, so that it is not negative.
/// `summands` counts what it consists of.
std::string SdfgFunction::lookup(const std::vector<Expr>& terms, const CppExpr& lanes,
                                 int& summands) const {
  std::string text;
  Expr constant = 0;
  for (const Expr& term : terms) {
    if (uniform(term)) {
      constant = constant + term;
      continue;
    }
    text += (text.empty() ? "" : " + ") + lanes.operand(term);
    ++summands;
  }
  if (constant.as_integer() == 0) return text == "0" ? "" : text;
  const std::string more = symbolic().print(constant);
  summands += constant.is(Op::Add) ? 2 : 1;
  if (text.empty()) return more;
  return text + (more.starts_with("-") ? " - " + more.substr(1) : " + " + more);
}

SdfgFunction::Address SdfgFunction::address(const Binding& binding, const std::vector<Expr>& index,
                                            const CppExpr& lanes) const {
  const CppExpr printer = symbolic();
  const Array* array = binding.data->as_array();
  Address out;
  std::string shared, of_host;  // what threads share: found in the kernel, and known to the host
  std::vector<Expr> depends;    // what the first consists of
  const auto add = [](std::string& text, const std::string& term) {
    text += (text.empty() ? "" : " + ") + term;
  };
  const auto scaled = [&](const Expr& stride, const std::string& text) {
    if (stride.as_integer() == 1) return text;
    const bool as_is = stride.is(Op::Symbol) || stride.is(Op::Integer) || !known_to_host(stride);
    return (as_is ? printer.operand(stride)
                  : host_value(binding.text + "_stride", printer.print(stride))) +
           " * " + text;
  };
  if (array && !(array->start_offset.as_integer() == 0)) {
    add(uniform(array->start_offset) ? shared : out.lane, printer.operand(array->start_offset));
    depends.push_back(array->start_offset);
  }
  int terms_in_lane = 0;
  bool narrow = true;
  for (std::size_t d = 0; d < index.size(); ++d) {
    const Expr stride = array && d < array->strides.size() ? array->strides[d] : Expr(1);
    const IndexParts parts =
        index_parts(index[d], array && d < array->offset.size() ? array->offset[d] : Expr(0));
    if (parts.rest || !binding.row || !uniform(stride)) {
      int summands = 0;
      std::string text = lookup(parts.terms, lanes, summands);
      if (text.empty()) continue;
      if (summands > 1 && !(stride.as_integer() == 1)) text = "(" + text + ")";
      add(out.lane, scaled(stride, text));
      narrow &= stride.as_integer() == 1;
      ++terms_in_lane;
      continue;
    }
    Expr here = 0, known = 0;
    std::vector<Expr> same;
    flatten(parts.same, false, same);
    const bool host_stride = known_to_host(stride);
    for (const Expr& part : same) {
      Expr& sum = host_stride && known_to_host(part) ? known : here;
      sum = sum + part;
    }
    if (!(known.as_integer() == 0)) add(of_host, product(printer, stride, known));
    if (!(here.as_integer() == 0)) {
      const bool of_row = row_param_ && free_symbols(here) == SymbolSet{row_param_->second.lane};
      const std::string rows =
          of_row && !(stride.as_integer() == 1) ? pitch(binding, stride, here) : "";
      add(shared, !rows.empty() ? rows
                  : here.as_integer() ? product(printer, stride, here)
                                      : scaled(stride, printer.operand(here)));
      depends.push_back(stride), depends.push_back(here);
    }
    if (!(parts.lane.as_integer() == 0)) {
      narrow &= stride.as_integer() == 1;
      add(out.lane, scaled(stride, printer.operand(parts.lane)));
      ++terms_in_lane;
    }
  }
  out.narrow = narrow && terms_in_lane == 1;
  out.row = row_pointer(binding, of_host, std::move(shared), depends);
  if (out.lane.empty()) out.lane = "0";
  return out;
}

/// The pointer to the row: the container's, or what the host makes of it, with what threads share.
std::string SdfgFunction::row_pointer(const Binding& binding, const std::string& of_host,
                                      std::string shared,
                                      const std::vector<Expr>& depends) const {
  const bool simple = of_host.find_first_of(" (") == std::string::npos;
  if (!simple && passes_first(binding))
    return row(binding,
               host_value(binding.text + "_first",
                          host_pointers_.at(binding.text) + " + " + of_host,
                          "const " + *cpp_type(binding.data->dtype) + "*"),
               shared, depends);
  if (!of_host.empty()) {
    const std::string at = simple ? of_host : host_value(binding.text + "_at", of_host);
    shared = shared.empty() ? at : at + " + " + shared;
  }
  return row(binding, binding.text, shared, depends);
}

/// The text that reads one element: straight from memory, or from where it was loaded before.
std::string SdfgFunction::load(const At& at, EdgeId edge, const Binding& binding,
                               const Subset& subset, const Place& place) const {
  if (binding.device && !on_device_ && binding.kind != Binding::Struct) {
    program_.waits_for(at.state[edge].memlet.data, place);
    return "sdfg::gpu::read(__state->gpu, " + pointer(binding, subset, place) + ")";
  }
  const bool whole_level = at.params.size() == at.kernel_params;
  if (on_device_ && binding.row && binding.kind == Binding::Pointer &&
      !at.state[edge].memlet.dynamic && is_one_element(subset)) {
    if (auto ahead = load_ahead(binding, subset, place)) return *ahead;
    if (whole_level)
      if (auto once = load_once(binding, subset, place)) return *once;
  }
  return element(binding, subset, place);
}

/// In a batch of iterations: the element is loaded before any of them begins.
std::optional<std::string> SdfgFunction::load_ahead(const Binding& binding, const Subset& subset,
                                                    const Place& place) const {
  if (!batch_ || frames_.size() != batch_->depth || conditional_ != batch_->conditional ||
      batch_->written.contains(binding.memory()) || binding.aliased)
    return std::nullopt;
  SymbolSet symbols;
  collect_symbols(subset, symbols);
  bool moves = false;
  for (const std::string& symbol : symbols) {
    if (bindings_.contains(symbol)) return std::nullopt;
    moves |= frames_.back().defines.contains(symbol);
    if (assigned_.contains(symbol) && !frames_.back().defines.contains(symbol)) return std::nullopt;
  }
  if (!moves) return std::nullopt;
  std::swap(frames_.back(), batch_->frame);
  const std::string text = element(binding, subset, place);
  std::swap(frames_.back(), batch_->frame);
  const auto [found, is_new] = batch_->names.try_emplace(text);
  if (is_new) {
    found->second = local_name(binding.text + "_ahead");
    batch_->declarations.push_back(program_.type_name(binding.data->dtype, place) + " " +
                                   found->second);
    batch_->loads.push_back(found->second + "[" + batch_->u + "] = " + text + ";");
  }
  return found->second + "[" + batch_->u + "]";
}

/// What all levels of a thread share is loaded once.
std::optional<std::string> SdfgFunction::load_once(const Binding& binding, const Subset& subset,
                                                   const Place& place) const {
  if (!in_kernel_itself_ || frames_.size() != 2 || conditional_ || binding.aliased ||
      kernel_writes_->contains(binding.memory()))
    return std::nullopt;
  SymbolSet symbols;
  collect_symbols(subset, symbols);
  for (const std::string& symbol : symbols)
    if (bindings_.contains(symbol) || frames_[1].defines.contains(symbol)) return std::nullopt;
  const std::string text = element(binding, subset, place);
  const auto [found, is_new] = frames_[0].names.try_emplace(text);
  if (is_new) {
    found->second = local_name(binding.text + "_here");
    frames_[0].declarations.line("const " + program_.type_name(binding.data->dtype, place) + " " +
                                 found->second + " = " + text + ";");
  }
  return found->second;
}

std::string SdfgFunction::element_at(const Binding& binding, const std::vector<Expr>& index,
                                     const CppExpr& lanes) const {
  const Address at = address(binding, index, lanes);
  if (at.narrow && binding.row && program_.target.gpu->scalar_rows())
    return "sdfg::gpu::at(" + at.row + ", " + at.lane + ")";
  return at.row + "[" + at.lane + "]";
}

}  // namespace sdfg
