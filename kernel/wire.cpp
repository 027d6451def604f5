#include "wire.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <stdexcept>

namespace qd::kernel::wire {

namespace {
constexpr std::string_view delimiter = "<IDS|MSG>";

/// Trees are serialised and destroyed recursively, so their depth is limited before one is made.
constexpr int max_depth = 256;

constexpr const char *part_names[] = {"the header", "the parent header", "the metadata", "the content"};

/// Returns the nesting depth of a JSON text, up to `max_depth + 1`. Brackets within strings are text. After a syntax error the depth is
/// meaningless, but no parser gets there.
int depth_of(std::string_view text) {
    int depth = 0, deepest = 0;
    for (size_t i = 0; i < text.size() && deepest <= max_depth; i++) {
        switch (text[i]) {
        case '"':
            for (i++; i < text.size() && text[i] != '"'; i++)
                if (text[i] == '\\') i++;
            break;
        case '{':
        case '[': deepest = std::max(deepest, ++depth); break;
        case '}':
        case ']': depth--; break;
        default: break;
        }
    }
    return deepest;
}

/// Returns the object, or nothing and a reason if the text is not an object of bounded depth.
std::optional<Json> parse_object(std::string_view text, std::string &why_not) {
    if (depth_of(text) > max_depth) {
        why_not = "is nested deeper than " + std::to_string(max_depth) + " levels";
        return std::nullopt;
    }
    Json value = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (value.is_object()) return value;
    why_not = value.is_discarded() ? "is not JSON" : "is not a JSON object";
    return std::nullopt;
}
} // namespace

std::string Message::type() const {
    auto at = header.find("msg_type");
    return at != header.end() && at->is_string() ? at->get<std::string>() : std::string();
}

Signer::Signer(const std::string &scheme, std::string key) : key_(std::move(key)) {
    if (key_.empty()) return;
    if (scheme.rfind("hmac-", 0) != 0 || !(digest_ = EVP_get_digestbyname(scheme.c_str() + 5)))
        throw std::invalid_argument("unknown signature scheme: " + scheme);
}

std::string Signer::sign(std::string_view header, std::string_view parent, std::string_view metadata,
                         std::string_view content) const {
    if (key_.empty()) return {};
    std::string joined;
    joined.reserve(header.size() + parent.size() + metadata.size() + content.size());
    joined.append(header).append(parent).append(metadata).append(content);
    unsigned char mac[EVP_MAX_MD_SIZE];
    unsigned size = 0;
    HMAC(static_cast<const EVP_MD *>(digest_), key_.data(), int(key_.size()),
         reinterpret_cast<const unsigned char *>(joined.data()), joined.size(), mac, &size);
    std::string hex;
    hex.reserve(2 * size);
    for (unsigned i = 0; i < size; i++) {
        hex += "0123456789abcdef"[mac[i] >> 4];
        hex += "0123456789abcdef"[mac[i] & 15];
    }
    return hex;
}

bool Signer::accepts(std::string_view signature, const std::string *parts) const {
    std::string wanted = sign(parts[0], parts[1], parts[2], parts[3]);
    return wanted.size() == signature.size() && CRYPTO_memcmp(wanted.data(), signature.data(), wanted.size()) == 0;
}

Frames pack(const Frames &identities, const Parts &p, const std::vector<Buffer> &buffers, const Signer &signer) {
    Frames out = identities;
    out.reserve(identities.size() + 6 + buffers.size());
    out.emplace_back(delimiter);
    out.push_back(signer.sign(p.header, p.parent, p.metadata, p.content));
    out.push_back(p.header);
    out.push_back(p.parent);
    out.push_back(p.metadata);
    out.push_back(p.content);
    for (const Buffer &b : buffers) out.emplace_back(b.begin(), b.end());
    return out;
}

bool Seen::add(std::string_view signature) {
    std::lock_guard lock(mutex_);
    auto [at, added] = known_.emplace(signature.substr(0, 32)); // 128 bits
    if (!added) return false;
    order_.push_back(&*at);
    if (order_.size() > most) {
        known_.erase(known_.find(*order_.front()));
        order_.pop_front();
    }
    return true;
}

std::optional<Message> unpack(Frames frames, const Signer &signer, Seen &seen, std::string &why_not) {
    auto at = std::find(frames.begin(), frames.end(), delimiter);
    if (at == frames.end()) return why_not = "no <IDS|MSG> delimiter", std::nullopt;
    if (frames.end() - at < 6) return why_not = "fewer than four parts after the signature", std::nullopt;
    const std::string *parts = &*at + 2;
    if (!signer.accepts(*(at + 1), parts)) return why_not = "wrong signature", std::nullopt;
    if (signer.signs() && !seen.add(*(at + 1))) return why_not = "it came before", std::nullopt;
    Message m;
    Json *to[] = {&m.header, &m.parent, &m.metadata, &m.content};
    for (int i = 0; i < 4; i++) {
        std::optional<Json> value = parse_object(parts[i], why_not);
        if (!value) return why_not = part_names[i] + (" " + why_not), std::nullopt;
        *to[i] = std::move(*value);
    }
    if (m.type().empty()) return why_not = "no msg_type in the header", std::nullopt;
    m.identities.assign(frames.begin(), at);
    for (auto b = at + 6; b != frames.end(); ++b) m.buffers.emplace_back(b->begin(), b->end());
    return m;
}

std::string text(const Json &value) { return value.dump(-1, ' ', false, Json::error_handler_t::replace); }

} // namespace qd::kernel::wire
