#include "emulator/report/records.h"

#include <stdexcept>

#include "emulator/report/json.h"

namespace heddle::report {
namespace {

std::string line(RunId run, const char* kind, Json json) {
  json["record"] = kind;
  json["run"] = run;
  return json.dump() + "\n";
}

void read_record(const Json& json, Collector& collector) {
  const RunId run = json.at("run");
  const std::string kind = json.at("record");
  if (kind == "run") {
    collector.add(run);
  } else if (kind == "race") {
    collector.add(run, race_from_json(json));
  } else if (kind == "revised race") {
    collector.add(run, Revised{race_from_json(json)});
  } else if (kind == "recorded") {
    collector.add(run, RecordedRuns{json.at("recorded"), json.at("left_out")});
  } else if (kind == "ordering") {
    collector.add(run, OrderingUse{json.at("operation"), place_from_json(json), json.at("enough"),
                                   json.at("weakness").get<std::uint8_t>(), json.at("needed")});
  } else if (kind == "remark") {
    collector.add(run, Remark{json.at("text"), json.at("ended_early").get<bool>()});
  } else {
    throw std::runtime_error("no such record: " + kind);
  }
}

}  // namespace

std::string record(RunId run) {
  return line(run, "run", Json::object());
}

std::string record(RunId run, const DataRace& race) {
  return line(run, "race", to_json(race));
}

std::string record(RunId run, const Revised& revised) {
  return line(run, "revised race", to_json(revised.race));
}

std::string record(RunId run, const OrderingUse& use) {
  Json json = {
      {"operation", use.operation}, {"enough", use.enough}, {"weakness", use.weakness}, {"needed", use.needed}};
  json.update(to_json(use.where));
  return line(run, "ordering", std::move(json));
}

std::string record(RunId run, const RecordedRuns& recorded) {
  return line(run, "recorded", {{"recorded", recorded.recorded}, {"left_out", recorded.left_out}});
}

std::string record(RunId run, const Remark& remark) {
  return line(run, "remark", {{"text", remark.text}, {"ended_early", remark.ended_early}});
}

void read_records(const std::string& text, Collector& collector) {
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    try {
      read_record(Json::parse(text.substr(begin, end - begin)), collector);
    } catch (const Json::exception& error) {
      throw std::runtime_error(std::string("a record of a run cannot be read: ") + error.what());
    }
    begin = end + 1;
  }
}

}  // namespace heddle::report
