#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codegen/interpreter/record.h"
#include "ir/data.h"
#include "support/by_name.h"
#include "support/result.h"

// The state of a running program. A nested SDFG cannot call itself, and everything runs in
// sequence; so each symbol and each container of each nested SDFG has one fixed home for the whole
// run, and compiled expressions point straight at it.

namespace sdfg::interpreter {

class Counter;
struct Trace;

/// Thrown while a program runs when it must not go on, and while it is made ready when it cannot
/// be; interpret() catches it and returns the diagnostic. Each level of a program that knows its
/// place fills it in when it is still empty.
struct Stop {
  Diagnostic why;
  explicit Stop(std::string message, std::string hint = {})
      : why{"", std::move(message), std::move(hint)} {}
};

/// Where something stands in the SDFG, for messages: a chain of parts, innermost first, so that
/// deeply nested programs do not store long texts. Owned by the Machine.
struct Where {
  const Where* outer = nullptr;
  std::string part;
  std::string text() const;
};

using Eval = std::function<Number()>;
using Step = std::function<void()>;

/// An integer expression that is ready to run: constant + sum(coefficient * symbol), or any code.
struct Index {
  struct Term {
    std::int64_t coefficient;
    const Number* symbol;
  };
  std::int64_t constant = 0;
  std::vector<Term> terms;
  std::function<std::int64_t()> code;  ///< added to the rest when there is one

  std::int64_t operator()() const {
    std::int64_t value = constant;
    for (const Term& t : terms) value += t.coefficient * t.symbol->i;
    if (code) value += code();
    return value;
  }
  bool is_constant() const { return terms.empty() && !code; }
};

/// Memory of one allocation, and which of its granules have been written.
struct Buffer {
  std::vector<std::byte> bytes;
  std::vector<std::uint8_t> written;  ///< empty: all of it counts as written
  unsigned granule_shift = 0;         ///< log2 of the bytes of a granule, at most one element
  bool of_argument = false;           ///< the caller sees it
  Trace* trace = nullptr;             ///< counts accesses; null: nobody does
};

/// A container as the running program has it: where it lies, and its layout as the values of
/// symbols make it. Containers of a nested SDFG are bound anew at each call; transients and views
/// whenever the scope that owns them is entered. Layout and memory come late, at the first access,
/// because sizes may depend on symbols that are assigned on the way.
struct Container {
  std::string name;
  const Data* data = nullptr;
  BaseType type = BaseType::Unknown;
  std::int64_t element_size = 0;
  const Record* record = nullptr;  ///< of structures; null for numbers
  Load load = nullptr;
  Store store = nullptr;           ///< null for structures

  bool ready = false;             ///< layout and memory are valid
  std::function<void()> prepare;  ///< makes them valid
  Buffer* buffer = nullptr;       ///< null: nothing is bound (an absent optional argument)
  std::int64_t base = 0;          ///< of the container's pointer, in bytes from the buffer's begin
  Buffer own;                     ///< memory of a transient
  std::vector<std::int64_t> shape, strides, offset;
  std::int64_t start_offset = 0;
  bool allocated = false;  ///< of a transient: its own memory is valid
  bool in_kernel = false;  ///< of a transient: its memory belongs to one kernel (see counts.h)
  /// Of a stream: the first of its queues, one per element of the shape, and its own ones.
  std::deque<Number>* queues = nullptr;
  std::vector<std::deque<Number>> own_queues;

  void make_ready() {
    if (!ready) prepare();
  }
  /// Forgets the content of a transient, the address of a view.
  void reset() { ready = allocated = false; }
  bool is_stream() const { return data && data->is_stream(); }
};

struct Address {
  Container* container = nullptr;
  std::int64_t offset = 0;  ///< in bytes from the buffer's begin; inside the buffer
  std::byte* at() const { return container->buffer->bytes.data() + offset; }
};

struct Machine {
  std::deque<Number> slots;  // a deque: addresses stay
  std::deque<std::vector<std::byte>> memories;  ///< of variables that hold structures
  ByName<Record> records;
  std::deque<Container> containers;
  std::deque<Data> declarations;  ///< of containers that no SDFG declares
  std::deque<Where> places;
  std::uint64_t steps_left = ~std::uint64_t(0);
  bool adverse = false;        ///< see InterpreterOptions
  bool check_windows = false;  ///< see InterpreterOptions
  Counter* counter = nullptr;  ///< null: nothing is counted
  Diagnostics warnings;
  std::set<std::pair<std::string, std::string>> warned;  ///< container and place

  Number* new_slot() { return &slots.emplace_back(); }
  /// A variable; one for structures has memory of its own.
  Number* new_slot(const Record* record);
  /// The layout of a structure type, by its name from now on; null for what is none or cannot be
  /// computed with.
  const Record* record(const Type& type);
  const Where* new_place(const Where* outer, std::string part) {
    return &places.emplace_back(Where{outer, std::move(part)});
  }
  /// Counts one executed statement or memlet.
  void step() {
    if (steps_left-- == 0) out_of_steps();
  }
  [[noreturn]] void out_of_steps();
  void warn_unwritten(const Container& container, const Where* place);
};

/// The element at these indices, one per dimension. Stops when one is outside the declared shape
/// or the element outside the allocation.
Address locate(Container& container, std::span<const std::int64_t> index, const Where* place);
/// The same without the shape: only the allocation counts (memlets with allow_oob, and windows of
/// no elements, whose begin may lie anywhere).
Address locate_unchecked(Container& container, std::span<const std::int64_t> index);

Number read(Machine& machine, Address address, const Where* place);
void write(Address address, Number value);
/// Counts a read, for whoever loads the value without read().
void note_read(Address address);
bool is_written(Address address);
void mark_unwritten(Address address);
/// Sizes the transient's own memory for its layout, all of it unwritten (or, with zero, zeros).
void allocate(Machine& machine, Container& container, std::int64_t elements, bool zero);

/// Resolves a conflicting write: old and new value of the container's element type.
using Combine = std::function<Number(Number, Number)>;

/// The part of a container that a memlet names, as code sees it: indices count steps from its
/// first element, and dimensions of one element take no index.
struct Window {
  Machine* machine = nullptr;
  Container* container = nullptr;
  std::vector<Index> begin, step;       ///< per dimension of the container
  std::vector<std::size_t> wide;        ///< dimensions that take an index
  const Where* place = nullptr;
  Combine combine;                      ///< for writes; may be empty

  /// Index for all wide dimensions, or for all dimensions.
  Address at(std::span<const std::int64_t> index) const;
  Number read(std::span<const std::int64_t> index) const {
    return interpreter::read(*machine, at(index), place);
  }
  void write(std::span<const std::int64_t> index, Number value) const;
  /// Makes the inner container stand for this part: its element 0 is the window's first.
  void bind(Container& inner) const;
  bool takes(std::size_t indices) const;
};

/// The next element of the stream that the window names. Stops when the stream is empty.
Number pop_stream(const Window& window);
void push_stream(const Window& window, Number value);
/// The queue itself.
std::deque<Number>& stream_queue(const Window& window);

}  // namespace sdfg::interpreter
