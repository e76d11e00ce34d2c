#include "emulator/report/records.h"

#include <algorithm>
#include <stdexcept>

#include "emulator/report/json.h"
#include "runtime/text/readable.h"

namespace heddle::report {
namespace {

constexpr const char* kBytes = "bytes";

/// JSON has no bytes, and what reads a record needs those that were there: files are opened by their names,
/// suppressions are compared with names. A text that is not UTF-8 becomes {"bytes": text}, with a character, U+0000 to
/// U+00FF, for each byte.
void pack(Json& json) {
  if (json.is_string()) {
    const auto& text = json.get_ref<const std::string&>();
    if (text::is_utf8(text)) return;
    std::string packed;
    for (const char c : text) {
      const auto byte = static_cast<unsigned char>(c);
      if (byte >= 0x80) packed += static_cast<char>(0xc0 | byte >> 6);
      packed += byte < 0x80 ? c : static_cast<char>(0x80 | (byte & 0x3f));
    }
    json = Json{{kBytes, packed}};
  } else if (json.is_structured()) {
    std::for_each(json.begin(), json.end(), pack);
  }
}

void unpack(Json& json) {
  if (json.is_object() && json.size() == 1 && json.contains(kBytes)) {
    const auto packed = json.at(kBytes).get<std::string>();
    std::string text;
    for (std::size_t i = 0; i < packed.size(); ++i) {
      const auto byte = static_cast<unsigned char>(packed[i]);
      if (byte >= 0x80 && ++i == packed.size()) break;
      text += byte < 0x80 ? packed[i] : static_cast<char>(byte << 6 | (packed[i] & 0x3f));
    }
    json = text;
  } else if (json.is_structured()) {
    std::for_each(json.begin(), json.end(), unpack);
  }
}

std::string line(RunId run, const char* kind, Json json) {
  json["record"] = kind;
  json["run"] = run;
  pack(json);
  return json.dump() + "\n";
}

/// What `read` makes of the JSON of a record.
template <typename Read>
auto of_json(const std::string& record, const Read& read) {
  try {
    Json json = Json::parse(record);
    unpack(json);
    return read(json);
  } catch (const Json::exception& error) {
    throw std::runtime_error(std::string("a record of a run cannot be read: ") + error.what());
  }
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
    collector.add(run, Remark{json.at("text")});
  } else if (kind == "relied") {
    collector.add(run, Relied{json.at("of"), json.at("rank").get<std::uint8_t>(), json.at("text")});
  } else if (kind == "failed dispatch") {
    collector.add(run, FailedDispatch{static_cast<FailedDispatch::How>(json.at("how").get<std::uint8_t>()),
                                      json.at("dispatch"), json.at("what"), json.at("message")});
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
  return line(run, "remark", {{"text", remark.text}});
}

std::string record(RunId run, const Relied& relied) {
  return line(run, "relied", {{"of", relied.of}, {"rank", relied.rank}, {"text", relied.text}});
}

std::string record(RunId run, const FailedDispatch& failed) {
  return line(run, "failed dispatch",
              {{"how", static_cast<std::uint8_t>(failed.how)},
               {"dispatch", failed.dispatch},
               {"what", failed.what},
               {"message", failed.message}});
}

std::optional<DataRace> race_of(const std::string& record) {
  return of_json(record, [](const Json& json) {
    const bool is_race = json.at("record") == "race" || json.at("record") == "revised race";
    return is_race ? std::optional(race_from_json(json)) : std::nullopt;
  });
}

void read_records(const std::string& text, Collector& collector) {
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    of_json(text.substr(begin, end - begin), [&](const Json& json) { read_record(json, collector); });
    begin = end + 1;
  }
}

}  // namespace heddle::report
