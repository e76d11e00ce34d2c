// What functions of values take: values, and whatever reads as one.

#include <heddle/heddle.h>
#include <heddle/matrix.h>

#include <catch2/catch.hpp>

#include <cstring>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

#ifndef HEDDLE_SOURCE_DIR
#error "the build says where the sources are"
#endif

using namespace heddle;

namespace {

using U32 = std::uint32_t;

struct All {
  U32 u;
  int s;
  float f;
  bool b;
  vec3 v;
  bvec3 w;
  mat3 m;
};

}  // namespace
HEDDLE_MEMBERS(All, u, s, f, b, v, w, m)

namespace {

constexpr auto kReduce = GroupOperation::Reduce;

// FUNCTION(object, name, arguments), with parts of `a`: `a.u` of U32, `a.s` of int and so on.
#define SUBGROUP_FUNCTIONS(FUNCTION, a)                                                     \
  FUNCTION(inv., group_non_uniform_all, (a.b))                                              \
  FUNCTION(inv., group_non_uniform_any, (a.b))                                              \
  FUNCTION(inv., group_non_uniform_all_equal, (a.u))                                        \
  FUNCTION(inv., group_non_uniform_partition_nv, (a.v))                                     \
  FUNCTION(inv., group_non_uniform_broadcast, (a.f, 1u))                                    \
  FUNCTION(inv., group_non_uniform_broadcast_first, (a.m))                                  \
  FUNCTION(inv., group_non_uniform_ballot, (a.b))                                           \
  FUNCTION(inv., group_non_uniform_shuffle, (a.s, a.u))                                     \
  FUNCTION(inv., group_non_uniform_shuffle_xor, (a.b, a.u))                                 \
  FUNCTION(inv., group_non_uniform_shuffle_up, (a.u, 0u))                                   \
  FUNCTION(inv., group_non_uniform_shuffle_down, (a.u, 0u))                                 \
  FUNCTION(inv., group_non_uniform_rotate_khr, (a.u, a.u, 4u))                              \
  FUNCTION(inv., group_non_uniform_i_add, (kReduce, a.u))                                   \
  FUNCTION(inv., group_non_uniform_i_add,                                                   \
           (GroupOperation::PartitionedReduceNV, a.s, inv.group_non_uniform_ballot(true)))  \
  FUNCTION(inv., group_non_uniform_f_add, (kReduce, a.v))                                   \
  FUNCTION(inv., group_non_uniform_i_mul, (GroupOperation::InclusiveScan, a.s))             \
  FUNCTION(inv., group_non_uniform_f_mul, (kReduce, a.f))                                   \
  FUNCTION(inv., group_non_uniform_s_min, (kReduce, a.s))                                   \
  FUNCTION(inv., group_non_uniform_u_min, (kReduce, a.u))                                   \
  FUNCTION(inv., group_non_uniform_f_min, (kReduce, a.f))                                   \
  FUNCTION(inv., group_non_uniform_s_max, (kReduce, a.s))                                   \
  FUNCTION(inv., group_non_uniform_u_max, (kReduce, a.u))                                   \
  FUNCTION(inv., group_non_uniform_f_max, (kReduce, a.v))                                   \
  FUNCTION(inv., group_non_uniform_bitwise_and, (kReduce, a.u))                             \
  FUNCTION(inv., group_non_uniform_bitwise_or, (kReduce, a.u))                              \
  FUNCTION(inv., group_non_uniform_bitwise_xor, (GroupOperation::ClusteredReduce, a.u, 2u)) \
  FUNCTION(inv., group_non_uniform_logical_and, (kReduce, a.b))                             \
  FUNCTION(inv., group_non_uniform_logical_or, (kReduce, a.b))                              \
  FUNCTION(inv., group_non_uniform_logical_xor, (kReduce, a.b))                             \
  FUNCTION(inv., group_non_uniform_quad_broadcast, (a.v, 2u))                               \
  FUNCTION(inv., group_non_uniform_quad_swap, (a.s, QuadSwap::Diagonal))                    \
  FUNCTION(inv., group_non_uniform_quad_all_khr, (a.b))                                     \
  FUNCTION(inv., group_non_uniform_quad_any_khr, (a.b))

#define VALUE_FUNCTIONS(FUNCTION, a)         \
  FUNCTION(, min, (a.v, a.f))                \
  FUNCTION(, max, (a.v, a.v))                \
  FUNCTION(std::, min, (a.u, 4u))            \
  FUNCTION(std::, max, (a.f, a.f))           \
  FUNCTION(std::, clamp, (a.s, -1, 1))       \
  FUNCTION(, mod, (a.v, a.f))                \
  FUNCTION(, pow, (a.v, a.v))                \
  FUNCTION(, clamp, (a.v, 0.0f, a.f))        \
  FUNCTION(, mix, (a.v, a.v, a.f))           \
  FUNCTION(, mix, (a.v, a.v, a.w))           \
  FUNCTION(, step, (a.f, a.v))               \
  FUNCTION(, smoothstep, (0.0f, a.f, a.v))   \
  FUNCTION(, abs, (a.v))                     \
  FUNCTION(, sign, (a.v))                    \
  FUNCTION(, floor, (a.v))                   \
  FUNCTION(, ceil, (a.v))                    \
  FUNCTION(, round, (a.v))                   \
  FUNCTION(, trunc, (a.v))                   \
  FUNCTION(, fract, (a.v))                   \
  FUNCTION(, sqrt, (a.v))                    \
  FUNCTION(, inversesqrt, (a.v))             \
  FUNCTION(, exp, (a.v))                     \
  FUNCTION(, log, (a.v))                     \
  FUNCTION(, sin, (a.v))                     \
  FUNCTION(, cos, (a.v))                     \
  FUNCTION(, not_, (a.w))                    \
  FUNCTION(, less_than, (a.v, a.v))          \
  FUNCTION(, less_than_equal, (a.v, a.v))    \
  FUNCTION(, greater_than, (a.v, a.v))       \
  FUNCTION(, greater_than_equal, (a.v, a.v)) \
  FUNCTION(, equal, (a.v, a.v))              \
  FUNCTION(, not_equal, (a.v, a.v))          \
  FUNCTION(, any, (a.w))                     \
  FUNCTION(, all, (a.w))                     \
  FUNCTION(, dot, (a.v, a.v))                \
  FUNCTION(, length, (a.v))                  \
  FUNCTION(, distance, (a.v, a.v))           \
  FUNCTION(, normalize, (a.v))               \
  FUNCTION(, cross, (a.v, a.v))              \
  FUNCTION(, reflect, (a.v, a.v))            \
  FUNCTION(, vec_cast<int>, (a.v))           \
  FUNCTION(, transpose, (a.m))               \
  FUNCTION(, determinant, (a.m))             \
  FUNCTION(, inverse, (a.m))                 \
  FUNCTION(, outer_product, (a.v, a.v))

/// A number that tells results apart.
struct Results {
  U32 number = 1;
  template <typename T>
  void add(const T& result) {
    unsigned char bytes[sizeof(T)];
    std::memcpy(bytes, &result, sizeof(T));
    for (const unsigned char byte : bytes) number = number * 31 + byte;
  }
};
#define ADD(object, name, arguments) all_of_them.add(object name arguments);
#define OF_ALL(a)              \
  [&] {                        \
    Results all_of_them;       \
    SUBGROUP_FUNCTIONS(ADD, a) \
    VALUE_FUNCTIONS(ADD, a)    \
    return all_of_them.number; \
  }()

/// A variable for each member of All, which it has the name of.
#define VARIABLES(Kind, make)                           \
  template <typename Inv>                               \
  struct Kind {                                         \
    template <typename T>                               \
    using Of = decltype(make<T>(std::declval<Inv&>())); \
    Of<U32> u;                                          \
    Of<int> s;                                          \
    Of<float> f;                                        \
    Of<bool> b;                                         \
    Of<vec3> v;                                         \
    Of<bvec3> w;                                        \
    Of<mat3> m;                                         \
    explicit Kind(Inv& inv)                             \
        : u(make<U32>(inv)),                            \
          s(make<int>(inv)),                            \
          f(make<float>(inv)),                          \
          b(make<bool>(inv)),                           \
          v(make<vec3>(inv)),                           \
          w(make<bvec3>(inv)),                          \
          m(make<mat3>(inv)) {}                         \
    void operator=(const All& from) {                   \
      u = from.u, s = from.s, f = from.f, b = from.b;   \
      v = from.v, w = from.w, m = from.m;               \
    }                                                   \
  };
VARIABLES(InWorkgroup, workgroup)
VARIABLES(Private, private_variable)

const All kAll = {1, -3, 1.5f, true, {0.25f, 2, 3}, {true, false, true}, {{{1, 2, 3}, {0, 1, 4}, {5, 6, 0}}}};

std::set<std::string> names_in(const char* file, const std::regex& pattern) {
  std::ifstream in(std::string(HEDDLE_SOURCE_DIR "/include/heddle/") + file);
  std::stringstream text;
  text << in.rdbuf();
  const std::string all = text.str();
  std::set<std::string> names;
  for (std::sregex_iterator at(all.begin(), all.end(), pattern); at != std::sregex_iterator(); ++at) {
    names.insert((*at)[1]);
  }
  return names;
}

}  // namespace

TEST_CASE("a function of values gives the same for a member of an element and for a variable as for the value") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(mode);
  auto x = device.buffer({kAll}, "x");
  auto out = device.buffer<U32>(4, "out");
  device.dispatch(
      [](auto& inv, StorageBuffer<All> auto of, StorageBuffer<U32> auto got) {
        const All values = of[0];
        InWorkgroup shared(inv);
        Private own(inv);
        if (inv.local_invocation_index() == 0) shared = values;
        own = values;
        inv.workgroup_barrier();
        const U32 results[] = {OF_ALL(values), OF_ALL(of[0]), OF_ALL(shared), OF_ALL(own)};
        if (inv.local_invocation_index() != 0) return;
        for (U32 i = 0; i < 4; ++i) got[i] = results[i];
      },
      {1}, {4}, x, out);
  const auto got = out.read();
  CHECK(got == std::vector<U32>(4, got[0]));
}

TEST_CASE("a subgroup operation takes an element of a buffer, and reads it in the line of its call") {
  Device device(Mode::Emulated);
  auto x = device.buffer<U32>(4, "x");
  constexpr U32 kLine = __LINE__ + 2;
  const auto kernel = [](auto& inv, StorageBuffer<U32> auto of) {
    (void)inv.group_non_uniform_shuffle_xor(of[inv.local_invocation_index()], 1);
  };
  try {
    device.dispatch(kernel, {1}, {4}, x);
    FAIL("an element that was never written was moved");
  } catch (const KernelError& error) {
    CHECK(error.finding().kind == FindingKind::UninitializedRead);
    CHECK(error.finding().where.line == kLine);
  }
}

TEST_CASE("no subgroup operation and no function of vectors or matrices is left out where values are tried") {
#define NAME(object, name, arguments) #name,
  const std::set<std::string> tried = {SUBGROUP_FUNCTIONS(NAME, ) VALUE_FUNCTIONS(NAME, )};
  // They have no value, or take a ballot, or the others are made of them.
  const std::set<std::string> others = {"component",
                                        "function",
                                        "group_non_uniform_elect",
                                        "group_non_uniform_inverse_ballot",
                                        "group_non_uniform_ballot_bit_extract",
                                        "group_non_uniform_ballot_bit_count",
                                        "group_non_uniform_ballot_find_lsb",
                                        "group_non_uniform_ballot_find_msb"};
  std::set<std::string> left = names_in("invocation.h", std::regex(R"((group_non_uniform_[a-z_]+)\()"));
  left.merge(names_in("invocation.h", std::regex(R"(HEDDLE_GROUP_OPERATION\((group_[a-z_]+))")));
  CHECK(left.size() > 30);
  for (const char* const file : {"detail/vector_functions.h", "matrix.h"}) {
    left.merge(names_in(file, std::regex(R"(HEDDLE_VECTOR_(?:FUNCTION_[12]|COMPARISON)\(([a-z_]+), [^.])")));
    left.merge(names_in(
        file,
        std::regex(
            R"(\n(?:template.*|requires.*)\n(?:requires.* )?(?:constexpr )?(?:auto|bool|Vec<To, kSizeOf<A>>) ([a-z_]+)\(const [A-Z])")));
  }
  for (const auto& one : tried) left.erase(one == "vec_cast<int>" ? "vec_cast" : one);
  for (const auto& one : others) left.erase(one);
  CHECK(left == std::set<std::string>());
}

TEST_CASE("a volatile variable of a kernel is stored as any other") {
  const Mode mode = GENERATE(Mode::Native, Mode::Emulated);
  Device device(mode);
  auto x = device.buffer(std::vector<U32>(8, 0), "x");
  auto image = device.image<U32, ImageDim::Dim1D>({1}, "image");
  device.dispatch(
      [](auto& inv, StorageBuffer<U32> auto to, StorageImage<U32, ImageDim::Dim1D> auto texels) {
        volatile U32 own = 3;
        to[0] = own;
        to[1] += own;
        to[own] = 1u;
        inv.store(to[2], own);
        inv.atomic_store(to[4], Scope::Device, MemorySemantics::Relaxed, own);
        auto shared = workgroup<U32>(inv, "shared");
        shared = own;
        auto local = private_variable<U32>(inv, "local");
        local = own;
        texels.write(0, own);
        to[5] = shared + local + inv.group_non_uniform_broadcast_first(own) + texels.read(0);
      },
      {1}, {1}, x, image);
  CHECK(x.read() == std::vector<U32>{3, 3, 3, 1, 3, 12, 0, 0});
}
