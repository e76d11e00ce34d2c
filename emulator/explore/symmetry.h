#pragma once

/// \file
/// Agents that are interchangeable, and the executions that stand for those which differ in nothing else; see
/// PROOFS.md for why.

#include <cstdint>
#include <functional>
#include <vector>

#include "emulator/explore/explorer.h"

namespace heddle::explore {

class Explorer::Symmetry {
 public:
  explicit Symmetry(Explorer& explorer);

  /// To be called when all is known that agents which do not tell it may do.
  void compare_agents();

  /// The agents that could change places with this one, as the graph stands: the agent itself first.
  std::vector<std::size_t> equals_of(std::size_t agent) const;
  /// Goes on with the reads of the agents put off, which are equals of the first, or that one alone.
  void put_off(const std::vector<std::size_t>& agents);
  /// How many executions the graph, which is whole, stands for.
  double stands_for() const;
  /// Whether the write, which its agent is at, has to come behind the other one in scoped modification order.
  bool comes_behind(model::OperationIndex write, model::OperationIndex other) const;

  /// What equals choose: then the one whose turn it is chooses the least.
  enum class Chosen : std::uint8_t {
    /// A write of the graph that a read takes, each in the order of the graph; none of it is the greatest.
    SourceOfRead,
    /// A value that a read reads.
    ValueOfRead,
    /// The place of a write in scoped modification order.
    PlaceOfWrite,
  };

  /// While it lives, an agent is the first of its equals to choose.
  class Turn {
   public:
    Turn(Symmetry& symmetry, std::size_t agent, Chosen chosen);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    const std::vector<std::size_t>& equals() const { return equals_; }

   private:
    Symmetry& symmetry_;
    std::vector<std::size_t> equals_;
  };

  /// While it lives, an agent reads from these sources.
  class Reading {
   public:
    Reading(Symmetry& symmetry, std::size_t agent, const std::vector<Source>& sources, Value value);
    ~Reading();
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

    /// Whether no equal that had its turn before would have had to choose that.
    bool admitted() const { return admitted_; }

   private:
    Symmetry& symmetry_;
    bool admitted_ = true;
    bool has_turn_ = false;
    /// The turns in which it chooses the same as the one whose turn it was.
    std::vector<std::uint32_t> ties_;
  };

 private:
  using Rank = std::vector<std::uint64_t>;

  struct Decision {
    Chosen chosen = Chosen::SourceOfRead;
    std::vector<std::size_t> equals;
    /// How many operations the graph had.
    std::size_t operations = 0;
    /// What the first equal chose.
    Rank rank;
    /// How many of the equals have chosen the same so far.
    std::uint32_t ties = 1;

    bool is_of(std::size_t agent) const;
  };

  bool is_possible() const;
  bool have_like_places(std::size_t a, std::size_t b) const;
  void form_classes(const std::function<bool(std::size_t, std::size_t)>& are_alike);

  bool idles_with(std::size_t agent, Value value);
  bool is_chosen(std::size_t agent, std::size_t equal, Chosen chosen) const;
  bool are_equals(std::size_t a, std::size_t b) const;
  bool stand_alike(std::size_t a, std::size_t b) const;
  bool fixes_graph(std::size_t a, std::size_t b) const;
  bool fixes_decisions(std::size_t a, std::size_t b) const;
  std::vector<model::OperationIndex> operations_of(std::size_t agent) const;
  std::uint64_t rank_of(const Decision& decision, std::size_t agent, model::OperationIndex source) const;
  Rank rank_of(const Decision& decision, std::size_t agent, const std::vector<Source>& sources, Value value) const;

  Explorer& explorer_;
  /// By agent: agents of one number may be equals; 0: of none.
  std::vector<std::size_t> class_of_;
  std::vector<Decision> decisions_;
  /// Whether the decision that came last waits for what is chosen.
  bool open_ = false;
};

}  // namespace heddle::explore
