// A first-in first-out queue that several threads may push to and pop from.
#pragma once

#include "sdfg_reduce.h"

namespace sdfg {

template <class T>
class Stream {
 public:
  Stream() = default;
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  void push(const T& value) {
    lock_.lock();
    if (end_ == room_) make_room();
    items_.template get<T>(room_)[end_++] = value;
    lock_.unlock();
  }
  /// False when there is nothing to take.
  bool try_pop(T& value) {
    lock_.lock();
    const bool some = begin_ < end_;
    if (some) value = items_.template get<T>(room_)[begin_++];
    if (begin_ == end_) begin_ = end_ = 0;
    lock_.unlock();
    return some;
  }
  /// A default value when there is nothing to take.
  T pop() {
    T value{};
    try_pop(value);
    return value;
  }
  /// Takes up to `limit` elements; says how many.
  int64_t pop(T* values, int64_t limit) {
    int64_t n = 0;
    while (n < limit && try_pop(values[n])) ++n;
    return n;
  }
  int64_t size() const { return end_ - begin_; }

 private:
  void make_room() {
    T* old = items_.template get<T>(room_);
    if (begin_ > room_ / 2) {
      for (int64_t i = begin_; i < end_; ++i) old[i - begin_] = old[i];
      end_ -= begin_;
      begin_ = 0;
    } else {
      room_ = room_ ? 2 * room_ : 64;
      items_.template get<T>(room_);
    }
  }

  Scratch items_;
  int64_t begin_ = 0, end_ = 0, room_ = 0;
  SpinLock lock_;
};

template <class T>
class StreamArray {
 public:
  explicit StreamArray(int64_t count) { data(count); }
  StreamArray(const StreamArray&) = delete;
  StreamArray& operator=(const StreamArray&) = delete;
  ~StreamArray() { delete[] streams_; }
  Stream<T>* data() { return streams_; }
  /// Room for at least `count` streams.
  Stream<T>* data(int64_t count) {
    if (count <= count_) return streams_;
    Stream<T>* const fresh = new Stream<T>[size_t(count)];
    for (int64_t i = 0; i < count_; ++i)
      for (T value; streams_[i].try_pop(value);) fresh[i].push(value);
    delete[] streams_;
    count_ = count;
    return streams_ = fresh;
  }

 private:
  Stream<T>* streams_ = nullptr;
  int64_t count_ = 0;
};

}  // namespace sdfg
