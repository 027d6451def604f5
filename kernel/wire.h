#pragma once
// The Jupyter wire format: frames <-> message, signed with HMAC. Knows neither sockets nor Python. What comes from the
// network is never trusted: `unpack` returns nothing, and says why, for every input that is not a well-formed message.
#include <nlohmann/json.hpp>

#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace qd::kernel::wire {

using Json = nlohmann::json;
using Buffer = std::vector<char>;
using Frames = std::vector<std::string>;

/// The four JSON parts stay text on the way out: content made in Python is not parsed again.
struct Parts {
    std::string header, parent, metadata, content;
};

struct Message {
    Frames identities;
    Json header, parent, metadata, content;
    std::vector<Buffer> buffers;
    std::string type() const;
};

class Signer {
  public:
    /// An empty key switches signing off. Throws std::invalid_argument for an unknown scheme such as "hmac-nonsense".
    Signer(const std::string &scheme, std::string key);
    std::string sign(std::string_view header, std::string_view parent, std::string_view metadata,
                     std::string_view content) const;
    bool signs() const { return !key_.empty(); }
    bool accepts(std::string_view signature, const std::string *four_parts) const;

  private:
    std::string key_;
    const void *digest_ = nullptr;
};

/// Signatures of the newest messages that were accepted: what is sent again is not done again. Any thread.
class Seen {
  public:
    /// False if it was there already.
    bool add(std::string_view signature);

  private:
    static constexpr size_t most = 1 << 16;
    std::mutex mutex_;
    std::unordered_set<std::string> known_;
    std::deque<const std::string *> order_;
};

Frames pack(const Frames &identities, const Parts &parts, const std::vector<Buffer> &buffers, const Signer &signer);
std::optional<Message> unpack(Frames frames, const Signer &signer, Seen &seen, std::string &why_not);

/// Text of any JSON value; bytes that are not UTF-8 become U+FFFD.
std::string text(const Json &value);

} // namespace qd::kernel::wire
