"""Every option has a test that fails when its effect is removed: they are listed here and compared with the table of options."""

import ast
import pathlib
import re

from quadrants import _environment

ROOT = pathlib.Path(__file__).resolve().parents[3]

# Option -> test, as a path in tests. The test names the option or its variable.
TESTED = {
    "default_ip": "python/options/test_option_effects.py::test_default_types",
    "default_fp": "python/options/test_option_effects.py::test_default_types",
    "fast_math": "python/options/test_option_effects.py::test_fast_math",
    "short_circuit_operators": "python/language/test_expressions.py::test_short_circuit_can_be_switched_off",
    "unrolling_limit": "python/options/test_option_effects.py::test_unrolling_limit",
    "raise_on_templated_floats": "python/runtime/test_lifetime.py::test_floats_as_template_values",
    "opt_level": "python/options/test_option_optimiser.py::test_opt_level",
    "cfg_optimization": "python/options/test_option_optimiser.py::test_cfg_optimization",
    "advanced_optimization": "python/options/test_option_optimiser.py::test_advanced_optimization",
    "cache_loop_invariant_global_vars": "python/options/test_option_optimiser.py::test_cache_loop_invariant_global_vars",
    "make_thread_local": "python/options/test_option_optimiser.py::test_make_thread_local",
    "deterministic": "python/language/test_deterministic.py::test_every_number_of_threads_gives_the_same_bits",
    "inspect": "inspector/test_inspect_window.py::test_windows_for_programs_that_do_not_call_inspect",
    "flatten_if": "python/options/test_option_optimiser.py::test_flatten_if",
    "debug": "python/options/test_option_effects.py::test_checks",
    "check_out_of_bound": "python/options/test_option_effects.py::test_checks",
    "print_non_pure": "python/options/test_options.py::test_impure_kernels_are_reported",
    "print_full_traceback": "python/options/test_option_effects.py::test_print_full_traceback",
    "arch": "python/runtime/test_lifetime.py::test_options_from_the_environment",
    "cpu_max_num_threads": "python/options/test_option_effects.py::test_number_of_threads",
    "make_cpu_multithreading_loop": "python/options/test_options.py::test_one_thread",
    "default_cpu_block_dim": "python/options/test_option_effects.py::test_iterations_that_a_thread_takes_at_once",
    "cpu_block_dim_adaptive": "python/options/test_option_effects.py::test_iterations_that_a_thread_takes_at_once",
    "num_compile_threads": "python/options/test_option_effects.py::test_num_compile_threads",
    "compile_tiers": "python/options/test_option_effects.py::test_compile_tiers",
    "random_seed": "python/options/test_option_effects.py::test_random_seed",
    "enable_torch": "python/api/test_compat.py::test_torch_can_be_hidden",
    "target_cpu": "python/runtime/test_broken_environment.py::test_code_for_an_older_processor",
    "share_little": "python/options/test_option_effects.py::test_short_loops_are_shared_if_asked",
    "lanes": "python/language/test_simt_values.py::test_the_size_of_a_subgroup_can_be_chosen",
    "perfdispatch_force": "python/options/test_option_effects.py::test_perf_dispatch_by_the_environment",
    "perfdispatch_print_debug": "python/options/test_option_effects.py::test_perf_dispatch_by_the_environment",
    "external_metal_command_queue": "python/options/test_option_effects.py::test_queues_of_metal",
    "offline_cache": "python/options/test_options.py::test_a_cache_that_others_may_write_is_left_alone",
    "src_ll_cache": "python/api/test_compat.py::test_observations_of_caches",
    "offline_cache_file_path": "python/options/test_options.py::test_a_cache_that_others_may_write_is_left_alone",
    "offline_cache_max_size_of_files": "python/cache/test_disk_cache.py::test_cleaning",
    "offline_cache_cleaning_policy": "python/cache/test_disk_cache.py::test_cleaning",
    "offline_cache_cleaning_factor": "python/cache/test_disk_cache.py::test_cleaning",
    "cache_key": "python/cache/test_disk_cache.py::test_signatures_are_those_of_hmac",
    "load_ir": "python/options/test_option_dumps.py::test_loaded_ir",
    "QUADRANTS_LOAD_PTX": "python/options/test_options.py::test_loaded_ir_and_caches",
    "log_level": "python/options/test_option_effects.py::test_log_level",
    "ENABLE_QUADRANTS_HEADER_PRINT": "python/runtime/test_lifetime.py::test_header_line",
    "kernel_profiler": "python/options/test_option_effects.py::test_kernel_profiler_lives_in_cfg",
    "timeline": "python/options/test_option_effects.py::test_timeline_for_perfetto",
    "print_ir": "python/options/test_option_dumps.py::test_print_ir",
    "print_ir_dbg_info": "python/options/test_option_dumps.py::test_print_ir_dbg_info",
    "print_preprocessed_ir": "python/options/test_options.py::test_printed_forms",
    "print_kernel_llvm_ir": "python/options/test_option_dumps.py::test_llvm_ir_before_and_after_its_optimiser",
    "print_kernel_llvm_ir_optimized": "python/options/test_option_dumps.py::test_llvm_ir_before_and_after_its_optimiser",
    "print_kernel_asm": "python/options/test_options.py::test_printed_forms",
    "show_compiling": "python/cache/test_disk_cache.py::test_lines_of_compiling",
    "debug_dump_path": "python/options/test_option_dumps.py::test_files_of_dumped_kernels",
    "debug_adstack": "python/autodiff/test_adstack_memory.py::test_debug_lines",
    "dump_ir": "python/options/test_option_dumps.py::test_files_of_dumped_kernels",
    "dump_ast": "python/options/test_option_dumps.py::test_dumps_of_stages",
    "dump_cfg": "python/options/test_option_dumps.py::test_dumps_of_stages",
    "dump_simplify": "python/options/test_option_dumps.py::test_dumps_of_stages",
    "dump": "python/options/test_option_dumps.py::test_dumps_of_stages",
    "only": "python/options/test_option_dumps.py::test_only",
    "verify": "unit/pipeline_test.cpp::a_broken_pass_is_named_with_verify",
    "collect": "python/options/test_option_effects.py::test_collect",
    "kernel_coverage": "python/options/test_option_effects.py::test_kernel_coverage",
    "coverage_counts": "coverage/test_complete.py::test_the_code_is_that_of_the_clean_build",
    "coverage_max_probes": "coverage/test_processes.py::test_capacity",
    "ad_stack_experimental_enabled": "python/options/test_option_effects.py::test_stacks_of_reverse_mode",
    "ad_stack_size": "python/autodiff/test_adstack_memory.py::test_forced_capacity",
    "ad_stack_budget_bytes": "python/autodiff/test_adstack_memory.py::test_budget",
}
WITHOUT_EFFECT = {"gdb_trigger"}  # a special option that programs set, in addition to the rows NO_EFFECT


def acting():
    return {name for name, row in _environment.ROWS.items() if row[5]} - WITHOUT_EFFECT


def text_of(test):
    """Returns the text of the test with its decorators; empty if there is none."""
    path, _, name = test.partition("::")
    text = (ROOT / "tests" / path).read_text(encoding="utf-8")
    if path.endswith(".cpp"):
        found = re.search(rf"^TEST\(\w+, {name}\) {{$.*?^}}$", text, re.M | re.S)
        return found[0] if found else ""
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            first = min([node.lineno, *(d.lineno for d in node.decorator_list)])
            return "\n".join(text.splitlines()[first - 1 : node.end_lineno])
    return ""


def test_every_option_is_named():
    assert set(TESTED) == acting(), "add the option and its test to TESTED"


def test_tests_are_there_and_about_their_option():
    for option, test in TESTED.items():
        text = text_of(test)
        assert text, f"{test}, of the option {option}, does not exist"
        names = {option, _environment.variable(option)}
        assert any(re.search(rf"\b{name}\b", text) for name in names), f"{test} does not name the option {option}"


def test_a_missing_test_is_found():
    assert not text_of("python/options/test_option_table.py::nowhere") and "nowhere" in text_of("python/options/test_option_table.py::test_a_missing_test_is_found")
