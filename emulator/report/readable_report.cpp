#include "emulator/report/readable_report.h"

#include "runtime/text/readable.h"

namespace heddle::report {
namespace {

void make_readable(RacingAccess& access) {
  for (std::string* text : {&access.operation, &access.read, &access.written}) *text = text::readable(*text);
}

}  // namespace

DataRace readable(DataRace race) {
  make_readable(race.first);
  make_readable(race.second);
  for (std::string* text :
       {&race.object, &race.member, &race.reason, &race.missing, &race.no_change, &race.excuse, &race.replay})
    *text = text::readable(*text);
  for (std::string& change : race.changes) change = text::readable(change);
  for (CandidateChange& candidate : race.candidates) candidate.text = text::readable(candidate.text);
  for (RacedObject& other : race.other_objects) other.name = text::readable(other.name);
  for (DataRace& other : race.related) other = readable(std::move(other));
  return race;
}

RaceReport readable(RaceReport report) {
  for (auto* list : {&report.races, &report.notices, &report.suppressed})
    for (DataRace& race : *list) race = readable(std::move(race));
  for (OrderingAdvice& advice : report.advice) {
    advice.operation = text::readable(advice.operation);
    advice.enough = text::readable(advice.enough);
  }
  for (CandidateChange& change : report.together) change.text = text::readable(change.text);
  for (std::string& remark : report.remarks) remark = text::readable_lines(remark);
  for (std::string& relied : report.relied_on) relied = text::readable_lines(relied);
  return report;
}

}  // namespace heddle::report
