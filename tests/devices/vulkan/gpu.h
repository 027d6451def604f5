#pragma once
// A Vulkan device for tests: memory with addresses, and dispatches that are waited for. It links no loader but opens libvulkan.so.1.
#include "codegen/spirv/capabilities.h"

#include <cstdint>
#include <span>
#include <string>

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

namespace qd::tests {

// The functions of Vulkan that are called.   FUNCTION(name without vk)
#define QD_VULKAN_INSTANCE(FUNCTION)                                                                                   \
    FUNCTION(DestroyInstance)                                                                                          \
    FUNCTION(EnumeratePhysicalDevices)                                                                                 \
    FUNCTION(GetPhysicalDeviceFeatures2)                                                                               \
    FUNCTION(GetPhysicalDeviceProperties2)                                                                             \
    FUNCTION(GetPhysicalDeviceMemoryProperties)                                                                        \
    FUNCTION(GetPhysicalDeviceQueueFamilyProperties)                                                                   \
    FUNCTION(EnumerateDeviceExtensionProperties)                                                                       \
    FUNCTION(CreateDevice)                                                                                             \
    FUNCTION(GetDeviceProcAddr)
#define QD_VULKAN_DEVICE(FUNCTION)                                                                                     \
    FUNCTION(DestroyDevice)                                                                                            \
    FUNCTION(GetDeviceQueue)                                                                                           \
    FUNCTION(CreateBuffer)                                                                                             \
    FUNCTION(DestroyBuffer)                                                                                            \
    FUNCTION(GetBufferMemoryRequirements)                                                                              \
    FUNCTION(GetBufferDeviceAddress)                                                                                   \
    FUNCTION(AllocateMemory)                                                                                           \
    FUNCTION(FreeMemory)                                                                                               \
    FUNCTION(BindBufferMemory)                                                                                         \
    FUNCTION(MapMemory)                                                                                                \
    FUNCTION(CreateShaderModule)                                                                                       \
    FUNCTION(DestroyShaderModule)                                                                                      \
    FUNCTION(CreatePipelineLayout)                                                                                     \
    FUNCTION(DestroyPipelineLayout)                                                                                    \
    FUNCTION(CreateComputePipelines)                                                                                   \
    FUNCTION(DestroyPipeline)                                                                                          \
    FUNCTION(CreateCommandPool)                                                                                        \
    FUNCTION(DestroyCommandPool)                                                                                       \
    FUNCTION(AllocateCommandBuffers)                                                                                   \
    FUNCTION(BeginCommandBuffer)                                                                                       \
    FUNCTION(EndCommandBuffer)                                                                                         \
    FUNCTION(CmdBindPipeline)                                                                                          \
    FUNCTION(CmdPushConstants)                                                                                         \
    FUNCTION(CmdDispatch)                                                                                              \
    FUNCTION(QueueSubmit)                                                                                              \
    FUNCTION(QueueWaitIdle)

/// Memory that host and device see.
struct GpuMemory {
    VkBuffer buffer = VK_NULL_HANDLE;
    VkDeviceMemory memory = VK_NULL_HANDLE;
    uint64_t address = 0;
    char *host = nullptr;
};

class Gpu {
  public:
    /// Opens the processor's own device (lavapipe), or the number that QD_VISIBLE_DEVICE gives. Throws std::runtime_error that names the
    /// missing package.
    Gpu();
    ~Gpu();
    Gpu(const Gpu &) = delete;

    const std::string &name() const { return name_; }
    const codegen::spirv::Capabilities &capabilities() const { return capabilities_; }
    uint32_t lanes() const { return lanes_; }

    GpuMemory alloc(uint64_t bytes); ///< zeroed
    void free(const GpuMemory &memory);
    /// `block`: the threads of a block, of a range task.
    VkPipeline pipeline(std::span<const uint32_t> words, uint32_t block);
    void destroy(VkPipeline pipeline) { DestroyPipeline(device_, pipeline, nullptr); }
    /// Runs so many blocks and waits.
    void run(VkPipeline pipeline, uint32_t blocks, const void *push_constants, uint32_t bytes);

  private:
    void open_instance();
    void choose_device();
    void open_device();
    void find_capabilities(const VkPhysicalDeviceVulkan12Features &twelve, const VkPhysicalDeviceFeatures2 &features);
    bool has_extension(const char *name);
    uint32_t memory_type(uint32_t allowed) const;

    std::string name_;
    codegen::spirv::Capabilities capabilities_;
    uint32_t lanes_ = 0;
    void *loader_ = nullptr;
    VkInstance instance_ = VK_NULL_HANDLE;
    VkPhysicalDevice physical_ = VK_NULL_HANDLE;
    VkDevice device_ = VK_NULL_HANDLE;
    VkQueue queue_ = VK_NULL_HANDLE;
    VkPipelineLayout layout_ = VK_NULL_HANDLE;
    VkCommandPool pool_ = VK_NULL_HANDLE;
    VkCommandBuffer commands_ = VK_NULL_HANDLE;
    VkPhysicalDeviceMemoryProperties memory_{};
    PFN_vkGetInstanceProcAddr get_ = nullptr;
#define QD_DECLARE(name) PFN_vk##name name = nullptr;
    QD_VULKAN_INSTANCE(QD_DECLARE)
    QD_VULKAN_DEVICE(QD_DECLARE)
#undef QD_DECLARE
};

} // namespace qd::tests
