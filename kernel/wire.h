#pragma once
// The Jupyter wire format: converts between frames and messages, signed with HMAC. Independent of sockets and Python. Data from the
// network is never trusted: for every input that is not a well-formed message, `unpack` returns nothing, and the reason in `why_not`.
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

/// The four JSON parts are kept as text when sending, so that content made in Python is not parsed again.
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
    /// An empty key disables signing. Throws std::invalid_argument for an unknown scheme such as "hmac-nonsense".
    Signer(const std::string &scheme, std::string key);
    std::string sign(std::string_view header, std::string_view parent, std::string_view metadata,
                     std::string_view content) const;
    bool signs() const { return !key_.empty(); }
    bool accepts(std::string_view signature, const std::string *four_parts) const;

  private:
    std::string key_;
    const void *digest_ = nullptr;
};

/// Signatures of the most recent messages that were accepted, so that a message that is sent again is ignored. For any thread.
class Seen {
  public:
    /// Returns false if the signature is already known.
    bool add(std::string_view signature);

  private:
    static constexpr size_t most = 1 << 16;
    std::mutex mutex_;
    std::unordered_set<std::string> known_;
    std::deque<const std::string *> order_;
};

Frames pack(const Frames &identities, const Parts &parts, const std::vector<Buffer> &buffers, const Signer &signer);
std::optional<Message> unpack(Frames frames, const Signer &signer, Seen &seen, std::string &why_not);

/// Returns the text of any JSON value; bytes that are not UTF-8 become U+FFFD.
std::string text(const Json &value);

} // namespace qd::kernel::wire
