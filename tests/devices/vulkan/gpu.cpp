#include "devices/vulkan/gpu.h"

#include "codegen/spirv/emit.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace qd::tests {

namespace {

using codegen::spirv::Capability;
using codegen::spirv::Pushed;

void check(VkResult result, const char *call) {
    if (result != VK_SUCCESS)
        throw std::runtime_error(std::string(call) + " failed with code " + std::to_string(int(result)));
}

constexpr const char *float_atomics = VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME;
constexpr const char *shader_clock = VK_KHR_SHADER_CLOCK_EXTENSION_NAME;

} // namespace

Gpu::Gpu() {
    open_instance();
    choose_device();
    open_device();
    VkPushConstantRange range{VK_SHADER_STAGE_COMPUTE_BIT, 0, sizeof(Pushed)};
    VkPipelineLayoutCreateInfo layout{VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO};
    layout.pushConstantRangeCount = 1;
    layout.pPushConstantRanges = &range;
    check(CreatePipelineLayout(device_, &layout, nullptr, &layout_), "vkCreatePipelineLayout");
    VkCommandPoolCreateInfo pool{VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO};
    pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
    check(CreateCommandPool(device_, &pool, nullptr, &pool_), "vkCreateCommandPool");
    VkCommandBufferAllocateInfo buffers{VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO};
    buffers.commandPool = pool_;
    buffers.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
    buffers.commandBufferCount = 1;
    check(AllocateCommandBuffers(device_, &buffers, &commands_), "vkAllocateCommandBuffers");
}

Gpu::~Gpu() {
    if (pool_) DestroyCommandPool(device_, pool_, nullptr);
    if (layout_) DestroyPipelineLayout(device_, layout_, nullptr);
    if (device_) DestroyDevice(device_, nullptr);
    if (instance_) DestroyInstance(instance_, nullptr);
}

void Gpu::open_instance() {
    loader_ = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!loader_)
        throw std::runtime_error(std::string("there is no Vulkan loader: install libvulkan1 (") + dlerror() + ")");
    get_ = reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(loader_, "vkGetInstanceProcAddr"));
    const auto create = reinterpret_cast<PFN_vkCreateInstance>(get_(nullptr, "vkCreateInstance"));
    VkApplicationInfo application{VK_STRUCTURE_TYPE_APPLICATION_INFO};
    application.apiVersion = VK_API_VERSION_1_2;
    VkInstanceCreateInfo info{VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO};
    info.pApplicationInfo = &application;
    if (create(&info, nullptr, &instance_) != VK_SUCCESS)
        throw std::runtime_error("there is no Vulkan driver: install mesa-vulkan-drivers");
#define QD_LOAD(name) name = reinterpret_cast<PFN_vk##name>(get_(instance_, "vk" #name));
    QD_VULKAN_INSTANCE(QD_LOAD)
#undef QD_LOAD
}

void Gpu::choose_device() {
    uint32_t count = 0;
    EnumeratePhysicalDevices(instance_, &count, nullptr);
    std::vector<VkPhysicalDevice> devices(count);
    if (count) check(EnumeratePhysicalDevices(instance_, &count, devices.data()), "vkEnumeratePhysicalDevices");
    const char *wanted = std::getenv("QD_VISIBLE_DEVICE");
    for (uint32_t i = 0; i < count; ++i) {
        VkPhysicalDeviceSubgroupProperties groups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES};
        VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &groups};
        GetPhysicalDeviceProperties2(devices[i], &properties);
        const bool is_cpu = properties.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
        if (wanted ? uint32_t(std::atoi(wanted)) != i : !is_cpu) continue;
        physical_ = devices[i];
        name_ = properties.properties.deviceName;
        lanes_ = groups.subgroupSize;
    }
    if (!physical_) throw std::runtime_error("there is no Vulkan device of the processor: install mesa-vulkan-drivers");
    GetPhysicalDeviceMemoryProperties(physical_, &memory_);
}

bool Gpu::has_extension(const char *name) {
    uint32_t count = 0;
    EnumerateDeviceExtensionProperties(physical_, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> all(count);
    EnumerateDeviceExtensionProperties(physical_, nullptr, &count, all.data());
    return std::ranges::any_of(all,
                               [&](const VkExtensionProperties &e) { return !std::strcmp(e.extensionName, name); });
}

void Gpu::open_device() {
    std::vector<const char *> extensions;
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT floats{
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT};
    VkPhysicalDeviceShaderClockFeaturesKHR clock{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR};
    VkPhysicalDeviceVulkan12Features twelve{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES};
    VkPhysicalDeviceVulkan11Features eleven{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &twelve};
    VkPhysicalDeviceFeatures2 features{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &eleven};
    if (has_extension(float_atomics)) {
        extensions.push_back(float_atomics);
        floats.pNext = twelve.pNext;
        twelve.pNext = &floats;
    }
    if (has_extension(shader_clock)) {
        extensions.push_back(shader_clock);
        clock.pNext = twelve.pNext;
        twelve.pNext = &clock;
    }
    GetPhysicalDeviceFeatures2(physical_, &features);
    find_capabilities(twelve, features);
    if (eleven.storageBuffer16BitAccess) capabilities_.add(Capability::StorageBuffer16BitAccess);
    if (floats.shaderBufferFloat32AtomicAdd && floats.shaderSharedFloat32AtomicAdd)
        capabilities_.add(Capability::AtomicFloat32AddEXT);
    if (floats.shaderBufferFloat64AtomicAdd && floats.shaderSharedFloat64AtomicAdd)
        capabilities_.add(Capability::AtomicFloat64AddEXT);
    if (clock.shaderSubgroupClock) capabilities_.add(Capability::ShaderClockKHR);

    features.features.robustBufferAccess = VK_FALSE;
    const float priority = 1;
    VkDeviceQueueCreateInfo queue{VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO};
    queue.queueCount = 1;
    queue.pQueuePriorities = &priority;
    VkDeviceCreateInfo info{VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO, &features};
    info.queueCreateInfoCount = 1;
    info.pQueueCreateInfos = &queue;
    info.enabledExtensionCount = uint32_t(extensions.size());
    info.ppEnabledExtensionNames = extensions.data();
    check(CreateDevice(physical_, &info, nullptr, &device_), "vkCreateDevice");
#define QD_LOAD(name) name = reinterpret_cast<PFN_vk##name>(GetDeviceProcAddr(device_, "vk" #name));
    QD_VULKAN_DEVICE(QD_LOAD)
#undef QD_LOAD
    GetDeviceQueue(device_, 0, 0, &queue_);
}

void Gpu::find_capabilities(const VkPhysicalDeviceVulkan12Features &twelve, const VkPhysicalDeviceFeatures2 &features) {
    VkPhysicalDeviceVulkan12Properties more{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES};
    VkPhysicalDeviceSubgroupProperties groups{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES, &more};
    VkPhysicalDeviceProperties2 properties{VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2, &groups};
    GetPhysicalDeviceProperties2(physical_, &properties);
    const auto add = [&](bool has, Capability c) {
        if (has) capabilities_.add(c);
    };
    const auto group = [&](VkSubgroupFeatureFlagBits bit) { return (groups.supportedOperations & bit) != 0; };
    add(twelve.shaderInt8, Capability::Int8);
    add(features.features.shaderInt16, Capability::Int16);
    add(features.features.shaderInt64, Capability::Int64);
    add(features.features.shaderFloat64, Capability::Float64);
    add(twelve.storageBuffer8BitAccess, Capability::StorageBuffer8BitAccess);
    add(twelve.bufferDeviceAddress, Capability::PhysicalStorageBufferAddresses);
    add(twelve.vulkanMemoryModel, Capability::VulkanMemoryModel);
    add(twelve.vulkanMemoryModelDeviceScope, Capability::VulkanMemoryModelDeviceScope);
    add(twelve.shaderBufferInt64Atomics && twelve.shaderSharedInt64Atomics, Capability::Int64Atomics);
    add(group(VK_SUBGROUP_FEATURE_BASIC_BIT), Capability::GroupNonUniform);
    add(group(VK_SUBGROUP_FEATURE_VOTE_BIT), Capability::GroupNonUniformVote);
    add(group(VK_SUBGROUP_FEATURE_BALLOT_BIT), Capability::GroupNonUniformBallot);
    add(group(VK_SUBGROUP_FEATURE_SHUFFLE_BIT), Capability::GroupNonUniformShuffle);
    add(group(VK_SUBGROUP_FEATURE_SHUFFLE_RELATIVE_BIT), Capability::GroupNonUniformShuffleRelative);
    add(more.driverID != VK_DRIVER_ID_MESA_LLVMPIPE, Capability::FencesInBranches);
    add(more.shaderSignedZeroInfNanPreserveFloat32, Capability::KeepsSpecialFloat32);
    add(more.shaderSignedZeroInfNanPreserveFloat64, Capability::KeepsSpecialFloat64);
}

uint32_t Gpu::memory_type(uint32_t allowed) const {
    constexpr VkMemoryPropertyFlags needed = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    for (uint32_t i = 0; i < memory_.memoryTypeCount; ++i)
        if (allowed >> i & 1 && (memory_.memoryTypes[i].propertyFlags & needed) == needed) return i;
    throw std::runtime_error("no memory of the device is visible to the host");
}

GpuMemory Gpu::alloc(uint64_t bytes) {
    GpuMemory made;
    VkBufferCreateInfo info{VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO};
    info.size = std::max<uint64_t>(bytes, 16);
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_SHADER_DEVICE_ADDRESS_BIT;
    check(CreateBuffer(device_, &info, nullptr, &made.buffer), "vkCreateBuffer");
    VkMemoryRequirements needs;
    GetBufferMemoryRequirements(device_, made.buffer, &needs);
    VkMemoryAllocateFlagsInfo flags{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_FLAGS_INFO};
    flags.flags = VK_MEMORY_ALLOCATE_DEVICE_ADDRESS_BIT;
    VkMemoryAllocateInfo allocation{VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO, &flags};
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = memory_type(needs.memoryTypeBits);
    check(AllocateMemory(device_, &allocation, nullptr, &made.memory), "vkAllocateMemory");
    check(BindBufferMemory(device_, made.buffer, made.memory, 0), "vkBindBufferMemory");
    void *host = nullptr;
    check(MapMemory(device_, made.memory, 0, VK_WHOLE_SIZE, 0, &host), "vkMapMemory");
    made.host = static_cast<char *>(host);
    std::memset(made.host, 0, info.size);
    VkBufferDeviceAddressInfo which{VK_STRUCTURE_TYPE_BUFFER_DEVICE_ADDRESS_INFO};
    which.buffer = made.buffer;
    made.address = GetBufferDeviceAddress(device_, &which);
    return made;
}

void Gpu::free(const GpuMemory &memory) {
    DestroyBuffer(device_, memory.buffer, nullptr);
    FreeMemory(device_, memory.memory, nullptr);
}

VkPipeline Gpu::pipeline(std::span<const uint32_t> words, uint32_t block) {
    VkShaderModuleCreateInfo code{VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO};
    code.codeSize = words.size_bytes();
    code.pCode = words.data();
    VkShaderModule module;
    check(CreateShaderModule(device_, &code, nullptr, &module), "vkCreateShaderModule");
    const VkSpecializationMapEntry entry{codegen::spirv::block_constant, 0, sizeof block};
    const VkSpecializationInfo constants{1, &entry, sizeof block, &block};
    VkComputePipelineCreateInfo info{VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO};
    info.stage = {VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO};
    info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
    info.stage.module = module;
    info.stage.pName = "main";
    info.stage.pSpecializationInfo = &constants;
    info.layout = layout_;
    VkPipeline pipeline;
    const VkResult result = CreateComputePipelines(device_, VK_NULL_HANDLE, 1, &info, nullptr, &pipeline);
    DestroyShaderModule(device_, module, nullptr);
    check(result, "vkCreateComputePipelines");
    return pipeline;
}

void Gpu::run(VkPipeline pipeline, uint32_t blocks, const void *push_constants, uint32_t bytes) {
    VkCommandBufferBeginInfo begin{VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO};
    begin.flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT;
    check(BeginCommandBuffer(commands_, &begin), "vkBeginCommandBuffer");
    CmdBindPipeline(commands_, VK_PIPELINE_BIND_POINT_COMPUTE, pipeline);
    CmdPushConstants(commands_, layout_, VK_SHADER_STAGE_COMPUTE_BIT, 0, bytes, push_constants);
    CmdDispatch(commands_, blocks, 1, 1);
    check(EndCommandBuffer(commands_), "vkEndCommandBuffer");
    VkSubmitInfo submit{VK_STRUCTURE_TYPE_SUBMIT_INFO};
    submit.commandBufferCount = 1;
    submit.pCommandBuffers = &commands_;
    check(QueueSubmit(queue_, 1, &submit, VK_NULL_HANDLE), "vkQueueSubmit");
    check(QueueWaitIdle(queue_), "vkQueueWaitIdle");
}

} // namespace qd::tests
