#include "emulator/report/json.h"

#include <heddle/edit.h>

#include "emulator/report/report_text.h"
#include "emulator/report/source_text.h"
#include "runtime/text/json_text.h"

namespace heddle::report {
namespace {

Json vector_json(const uvec3& v) {
  return Json::array({v.x, v.y, v.z});
}

uvec3 vector_from_json(const Json& json) {
  return {json.at(0).get<std::uint32_t>(), json.at(1).get<std::uint32_t>(), json.at(2).get<std::uint32_t>()};
}

Json calls_json(const RacingAccess& access) {
  Json ways = Json::array();
  for (const std::vector<SourceLocation>& way : access.calls) {
    Json& calls = ways.emplace_back(Json::array());
    for (const SourceLocation& call : way) calls.push_back({{"file", call.file}, {"line", call.line}});
  }
  return ways;
}

std::vector<std::vector<SourceLocation>> calls_from_json(const Json& json) {
  std::vector<std::vector<SourceLocation>> ways;
  for (const Json& way : json) {
    std::vector<SourceLocation>& calls = ways.emplace_back();
    for (const Json& call : way)
      calls.push_back({kept(call.at("file").get<std::string>()), "", call.at("line").get<std::uint32_t>()});
  }
  return ways;
}

Json access_json(const RacingAccess& access) {
  const Coordinates& c = access.invocation;
  return {{"operation", access.operation},
          {"host_thread", c.host_thread ? Json(*c.host_thread) : Json(nullptr)},
          {"file", access.where.file},
          {"line", access.where.line},
          {"function", access.where.function},
          {"read", access.read.empty() ? Json(nullptr) : Json(access.read)},
          {"written", access.written.empty() ? Json(nullptr) : Json(access.written)},
          {"at_declaration", access.at_declaration},
          {"calls", calls_json(access)},
          {"dispatch", access.dispatch},
          {"workgroup", vector_json(c.workgroup)},
          {"local", vector_json(c.local)},
          {"global", vector_json(c.global)},
          {"subgroup", c.subgroup},
          {"lane", c.lane}};
}

RacingAccess access_from_json(const Json& json) {
  const auto text = [&](const char* key) {
    return json.at(key).is_null() ? std::string() : json.at(key).get<std::string>();
  };
  RacingAccess access;
  access.operation = text("operation");
  access.where = place_from_json(json);
  access.read = text("read");
  access.written = text("written");
  access.at_declaration = json.at("at_declaration");
  access.calls = calls_from_json(json.at("calls"));
  access.dispatch = json.at("dispatch");
  Coordinates& c = access.invocation;
  if (const Json& thread = json.at("host_thread"); !thread.is_null())
    c = Coordinates::of_host_thread(thread.get<std::uint32_t>());
  c.workgroup = vector_from_json(json.at("workgroup"));
  c.local = vector_from_json(json.at("local"));
  c.global = vector_from_json(json.at("global"));
  c.subgroup = json.at("subgroup");
  c.lane = json.at("lane");
  return access;
}

Json candidates_json(const DataRace& race) {
  Json all = Json::array();
  for (const CandidateChange& candidate : race.candidates) {
    Json edits = Json::array();
    for (const Edit& edit : candidate.edits) edits.push_back(to_text(edit));
    all.push_back({{"change", candidate.text}, {"edits", edits}});
  }
  return all;
}

std::vector<CandidateChange> candidates_from_json(const Json& json) {
  std::vector<CandidateChange> all;
  for (const Json& one : json) {
    CandidateChange& candidate = all.emplace_back();
    candidate.text = one.at("change");
    for (const Json& edit : one.at("edits")) candidate.edits.push_back(edit_from_text(edit.get<std::string>()));
  }
  return all;
}

Json with_status(const DataRace& race, const char* status) {
  Json object = to_json(race);
  object["status"] = status;
  return object;
}

}  // namespace

Json to_json(const SourceLocation& where) {
  return {{"file", where.file}, {"line", where.line}, {"function", where.function}};
}

SourceLocation place_from_json(const Json& json) {
  return {kept(json.at("file").get<std::string>()), kept(json.at("function").get<std::string>()),
          json.at("line").get<std::uint32_t>()};
}

Json to_json(const DataRace& race) {
  Json related = Json::array();
  for (const DataRace& other : race.related) related.push_back(to_json(other));
  Json objects = Json::array();
  for (const RacedObject& other : race.other_objects)
    objects.push_back({{"object", other.name}, {"count", other.count}});
  return {{"kind", "data race"},
          {"object", race.object},
          {"other_objects", objects},
          {"member", race.member},
          {"index", race.index == DataRace::kNoElement ? Json() : Json(race.index)},
          {"texel", race.texel},
          {"offset_bytes", race.offset_bytes},
          {"size_bytes", race.size_bytes},
          {"first", access_json(race.first)},
          {"second", access_json(race.second)},
          {"second_came_first", race.second_came_first},
          {"reason", race.reason},
          {"missing", race.missing},
          {"changes", race.changes},
          {"tried_runs", race.tried_runs},
          {"candidates", candidates_json(race)},
          {"no_change", race.no_change.empty() ? Json(nullptr) : Json(race.no_change)},
          {"count", race.count},
          {"runs", race.runs},
          {"same_value", race.same_value},
          {"excuse", race.excuse.empty() ? Json(nullptr) : Json(race.excuse)},
          {"related", related},
          {"replay", race.replay},
          {"replays", race.replays}};
}

DataRace race_from_json(const Json& json) {
  DataRace race;
  race.object = json.at("object");
  for (const Json& other : json.at("other_objects"))
    race.other_objects.push_back({other.at("object"), other.at("count")});
  race.member = json.at("member");
  race.index = json.at("index").is_null() ? DataRace::kNoElement : json.at("index").get<std::uint64_t>();
  race.texel = json.value("texel", "");
  race.offset_bytes = json.at("offset_bytes");
  race.size_bytes = json.at("size_bytes");
  race.first = access_from_json(json.at("first"));
  race.second = access_from_json(json.at("second"));
  race.second_came_first = json.at("second_came_first");
  race.reason = json.at("reason");
  race.missing = json.at("missing");
  race.changes = json.at("changes").get<std::vector<std::string>>();
  race.tried_runs = json.at("tried_runs");
  race.candidates = candidates_from_json(json.at("candidates"));
  if (!json.at("no_change").is_null()) race.no_change = json.at("no_change");
  race.count = json.at("count");
  race.runs = json.at("runs");
  race.same_value = json.at("same_value");
  if (!json.at("excuse").is_null()) race.excuse = json.at("excuse");
  for (const Json& other : json.at("related")) race.related.push_back(race_from_json(other));
  race.replay = json.at("replay");
  race.replays = json.at("replays");
  return race;
}

std::string json_text(const RaceReport& report) {
  std::string text;
  const auto line = [&](const Json& object) { text += text::json_text(object) + "\n"; };
  for (const DataRace& race : report.races) line(with_status(race, "race"));
  for (const DataRace& race : report.notices) line(with_status(race, "notice"));
  for (const DataRace& race : report.suppressed) line(with_status(race, "suppressed"));
  for (const OrderingAdvice& advice : report.advice) {
    Json object = {{"kind", "advice"}, {"operation", advice.operation}};
    object.update(to_json(advice.where));
    object["enough"] = advice.enough;
    object["runs"] = advice.runs;
    line(object);
  }
  for (const std::string& remark : report.remarks) line({{"kind", "remark"}, {"text", remark}});
  for (const std::string& relied : report.relied_on) line({{"kind", "progress"}, {"text", relied}});
  Json end = {{"kind", "summary"},
              {"races", report.races.size()},
              {"notices", report.notices.size()},
              {"suppressed", report.suppressed.size()},
              {"runs", report.runs},
              {"ended_early", report.ended_early}};
  end["together"] = Json::array();
  end["together_edits"] = Json::array();
  for (const CandidateChange& change : report.together) {
    end["together"].push_back(change.text);
    for (const Edit& edit : change.edits) end["together_edits"].push_back(to_text(edit));
  }
  end["together_runs"] = report.together_runs;
  if (report.advised) {
    end["recorded"] = report.recorded;
    end["left_out"] = report.left_out;
  }
  line(end);
  return text;
}

}  // namespace heddle::report
