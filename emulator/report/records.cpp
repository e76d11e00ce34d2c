#include "emulator/report/records.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "emulator/report/json.h"
#include "emulator/report/source_text.h"
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

FailedDispatch unfinished_of(const Json& json) {
  const auto file = json.at("file").get<std::string>();
  const auto line = json.at("line").get<std::uint32_t>();
  const auto at = json.at("at").get<std::array<std::uint32_t, 11>>();
  FailedDispatch failed{FailedDispatch::How::Unfinished, json.at("dispatch"), "where it was is not known", ""};
  failed.message = "dispatch " + std::to_string(failed.dispatch);
  if (line == 0) return failed;
  Coordinates who;
  who.workgroup = {at[0], at[1], at[2]};
  who.local = {at[3], at[4], at[5]};
  who.global = {at[6], at[7], at[8]};
  who.subgroup = at[9];
  who.lane = at[10];
  failed.what = "the last operation was at " + place({file.c_str(), "", line});
  failed.message = "by " + to_string(who) + ", " + failed.message;
  return failed;
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
  } else if (kind == "looked") {
    collector.add(run, Looked{static_cast<Looked::Order>(json.at("order").get<std::uint8_t>()), json.at("seed"),
                              json.at("memory"), json.at("sequential")});
  } else if (kind == "unfinished dispatch") {
    collector.add(run, unfinished_of(json));
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

std::string record(RunId run, const Looked& looked) {
  return line(run, "looked",
              {{"order", static_cast<std::uint8_t>(looked.order)},
               {"seed", looked.seed},
               {"memory", looked.memory},
               {"sequential", looked.sequential}});
}

void RecordInPlace::add(std::string_view text) {
  const std::size_t size = std::min(text.size(), text_.size() - size_);
  std::copy_n(text.begin(), size, text_.begin() + static_cast<std::ptrdiff_t>(size_));
  size_ += size;
}

void RecordInPlace::add(std::uint64_t number) {
  std::array<char, 20> digits;
  std::size_t first = digits.size();
  do {
    digits[--first] = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  add(std::string_view(digits.data() + first, digits.size() - first));
}

void RecordInPlace::add_bytes(std::string_view bytes) {
  constexpr std::size_t kMostBytes = 512;
  constexpr std::string_view kDigits = "0123456789abcdef";
  add("{\"bytes\":\"");
  for (const char c : bytes.substr(0, kMostBytes)) {
    const auto byte = static_cast<unsigned char>(c);
    add("\\u00");
    add(kDigits.substr(byte >> 4, 1));
    add(kDigits.substr(byte & 0xf, 1));
  }
  add("\"}");
}

RecordInPlace record_in_place(const Unfinished& unfinished) {
  RecordInPlace record;
  const auto field = [&](std::string_view name, std::uint64_t number) {
    record.add(name);
    record.add(number);
  };
  field(R"({"record":"unfinished dispatch","run":)", unfinished.run);
  field(R"(,"dispatch":)", unfinished.dispatch);
  field(R"(,"line":)", unfinished.where.line);
  record.add(R"(,"file":)");
  record.add_bytes(unfinished.where.file);
  const Coordinates& who = unfinished.invocation;
  field(R"(,"at":[)", who.workgroup.x);
  for (const std::uint32_t number : {who.workgroup.y, who.workgroup.z, who.local.x, who.local.y, who.local.z,
                                     who.global.x, who.global.y, who.global.z, who.subgroup, who.lane})
    field(",", number);
  record.add("]}\n");
  return record;
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
