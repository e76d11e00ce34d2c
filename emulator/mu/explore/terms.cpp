#include "emulator/mu/explore/terms.h"

#include <algorithm>
#include <iterator>

namespace heddle::mu::explore {

Events united(const Events& a, const Events& b) {
  Events out;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

Term Terms::add(const TermNode& node) {
  nodes_.push_back(node);
  return static_cast<Term>(nodes_.size() - 1);
}

Term Terms::constant(Value value) {
  TermNode node;
  node.value = value;
  node.may_be_address = value.is_address();
  return add(node);
}

Term Terms::loaded(EventIndex event, bool may_be_address) {
  TermNode node;
  node.kind = TermKind::Loaded;
  node.event = event;
  node.may_be_address = may_be_address;
  return add(node);
}

Term Terms::unary(mu::Unary op, Term operand) {
  TermNode node;
  node.kind = TermKind::Unary;
  node.unary = op;
  node.left = operand;
  return add(node);
}

Term Terms::binary(mu::Binary op, Term left, Term right) {
  TermNode node;
  node.kind = TermKind::Binary;
  node.binary = op;
  node.left = left;
  node.right = right;
  node.may_be_address = (op == mu::Binary::Add || op == mu::Binary::Subtract) &&
                        (nodes_[left].may_be_address || nodes_[right].may_be_address);
  return add(node);
}

Term Terms::asked(TermKind kind, Term operand) {
  TermNode node;
  node.kind = kind;
  node.left = operand;
  return add(node);
}

Term Terms::faults(mu::Binary op, Term left, Term right) {
  TermNode node;
  node.kind = TermKind::Faults;
  node.binary = op;
  node.left = left;
  node.right = right;
  return add(node);
}

Term Terms::faults(mu::Unary op, Term operand) {
  TermNode node;
  node.kind = TermKind::UnaryFaults;
  node.unary = op;
  node.left = operand;
  return add(node);
}

}  // namespace heddle::mu::explore
