# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false, reportAssignmentType=false
"""Quadrants: data-parallel kernels in Python, compiled by a C++ core."""
import enum
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar, Concatenate, Generic, Literal, ParamSpec, Protocol, Self, SupportsIndex, TypeAlias, TypeVar, overload
import numpy as np
_P = ParamSpec('_P')
_P2 = ParamSpec('_P2')
_R = TypeVar('_R')
_R2 = TypeVar('_R2')
_Rco = TypeVar('_Rco', covariant=True)
_S = TypeVar('_S')
_T = TypeVar('_T')
_N = TypeVar('_N', bound=float)
_M = TypeVar('_M', bound=Matrix)
_F = TypeVar('_F', bound=Callable[..., Any])
_C = TypeVar('_C', bound=type)
_Array: TypeAlias = np.ndarray[Any, Any]
_Type: TypeAlias = type[Any] | types.MatrixType | types.StructType | np.dtype[Any]
_Shape: TypeAlias = SupportsIndex | Sequence[SupportsIndex]
_Axes: TypeAlias = Sequence[Any]

class _Made(Protocol[_P, _Rco]):
    """What is made of a function with these parameters."""

    @property
    def fn(self) -> Callable[_P, _Rco]: ...

class _Gradient(Generic[_P]):
    """The kernel of the derivatives of a kernel, called with the same arguments."""

    def __getattr__(self, name: str, /) -> Any: ...

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> None: ...

class _Kernel(Generic[_P, _R]):
    """A kernel: called like the function that it is made of, with the keyword `qd_stream` beside its own arguments. With
    checkpoints=True it has `resume(..., from_checkpoint=label)`, which leaves out what stands before that checkpoint."""
    __name__: str

    @property
    def fn(self) -> Callable[_P, _R]:
        """The function that it is made of."""

    @property
    def __wrapped__(self) -> Callable[_P, _R]: ...

    def __getattr__(self, name: str, /) -> Any: ...

    @overload
    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...

    @overload
    def __call__(self, *args: Any, qd_stream: Stream | None, **kwargs: Any) -> _R: ...

    @property
    def grad(self) -> _Gradient[_P]:
        """The kernel of its derivatives: called with the same arguments, it adds to the gradients of what the kernel reads."""

    @overload
    def __get__(self, instance: None, owner: Any=None, /) -> Self: ...

    @overload
    def __get__(self: _Made[Concatenate[_S, _P2], _R2], instance: _S, owner: Any=None, /) -> _Kernel[_P2, _R2]: ...

    @overload
    def __get__(self, instance: Any, owner: Any=None, /) -> _Kernel[..., _R]: ...

@overload
def kernel(fn: Callable[_P, _R]) -> _Kernel[_P, _R]:
    """Makes a kernel of a function. The kernel is compiled on its first call with each set of argument types; its top-level loops run in
    parallel. It is called from Python like any function, but not from other kernels.
    
    Args:
        fn: the function, if the decorator is written `@qd.kernel` without options. Parameters and result need annotations.
        pure: the former name of `fastcache`.
        fastcache: promise that the kernel reads only its arguments. The promise is checked; a warm start then has less to verify.
        graph: whether to launch the kernel as one graph, which may contain `qd.graph.do_while` and `qd.graph.parallel_context`.
        checkpoints: whether a kernel with graph=True may contain `qd.checkpoint`; it then returns a `qd.GraphStatus`.
        ad_stack_budget_bytes: overrides the option of `qd.init` for the gradient of this kernel, in bytes.
    
    Returns:
        A kernel, or a decorator if `fn` is not given.
    
    Raises:
        QuadrantsSyntaxError: an annotation is not valid in a kernel. TypeError, ValueError: an option is neither True nor False. At the
        first call: QuadrantsCompilationError or one of its subclasses, with the source line in the kernel.
    
    Example:
        >>> @qd.kernel
        ... def total(n: qd.i32) -> qd.i32:
        ...     s = 0
        ...     for i in range(n):
        ...         s += i
        ...     return s
        >>> total(10)
        45"""

@overload
def kernel(fn: None=None, *, pure: bool | None=None, fastcache: bool=False, graph: bool=False, checkpoints: Literal[True], ad_stack_budget_bytes: int | None=None) -> Callable[[Callable[_P, Any]], _Kernel[_P, GraphStatus]]:
    """Makes a kernel of a function. The kernel is compiled on its first call with each set of argument types; its top-level loops run in
    parallel. It is called from Python like any function, but not from other kernels.
    
    Args:
        fn: the function, if the decorator is written `@qd.kernel` without options. Parameters and result need annotations.
        pure: the former name of `fastcache`.
        fastcache: promise that the kernel reads only its arguments. The promise is checked; a warm start then has less to verify.
        graph: whether to launch the kernel as one graph, which may contain `qd.graph.do_while` and `qd.graph.parallel_context`.
        checkpoints: whether a kernel with graph=True may contain `qd.checkpoint`; it then returns a `qd.GraphStatus`.
        ad_stack_budget_bytes: overrides the option of `qd.init` for the gradient of this kernel, in bytes.
    
    Returns:
        A kernel, or a decorator if `fn` is not given.
    
    Raises:
        QuadrantsSyntaxError: an annotation is not valid in a kernel. TypeError, ValueError: an option is neither True nor False. At the
        first call: QuadrantsCompilationError or one of its subclasses, with the source line in the kernel.
    
    Example:
        >>> @qd.kernel
        ... def total(n: qd.i32) -> qd.i32:
        ...     s = 0
        ...     for i in range(n):
        ...         s += i
        ...     return s
        >>> total(10)
        45"""

@overload
def kernel(fn: None=None, *, pure: bool | None=None, fastcache: bool=False, graph: bool=False, checkpoints: bool=False, ad_stack_budget_bytes: int | None=None) -> Callable[[Callable[_P, _R]], _Kernel[_P, _R]]:
    """Makes a kernel of a function. The kernel is compiled on its first call with each set of argument types; its top-level loops run in
    parallel. It is called from Python like any function, but not from other kernels.
    
    Args:
        fn: the function, if the decorator is written `@qd.kernel` without options. Parameters and result need annotations.
        pure: the former name of `fastcache`.
        fastcache: promise that the kernel reads only its arguments. The promise is checked; a warm start then has less to verify.
        graph: whether to launch the kernel as one graph, which may contain `qd.graph.do_while` and `qd.graph.parallel_context`.
        checkpoints: whether a kernel with graph=True may contain `qd.checkpoint`; it then returns a `qd.GraphStatus`.
        ad_stack_budget_bytes: overrides the option of `qd.init` for the gradient of this kernel, in bytes.
    
    Returns:
        A kernel, or a decorator if `fn` is not given.
    
    Raises:
        QuadrantsSyntaxError: an annotation is not valid in a kernel. TypeError, ValueError: an option is neither True nor False. At the
        first call: QuadrantsCompilationError or one of its subclasses, with the source line in the kernel.
    
    Example:
        >>> @qd.kernel
        ... def total(n: qd.i32) -> qd.i32:
        ...     s = 0
        ...     for i in range(n):
        ...         s += i
        ...     return s
        >>> total(10)
        45"""

@overload
def func(fn: _F, *, is_real_function: bool=False, requires_top_level: bool=False) -> _F:
    """Makes a function that kernels and other funcs may call; it is inlined at each call.
    
    Args:
        fn: the function, if the decorator is written `@qd.func` without options. Annotations are optional; `qd.template()` passes by
            reference.
        is_real_function: whether to make a real func, see `qd.real_func`.
        requires_top_level: whether a call within a loop or branch is an error.
    
    Returns:
        The func, or a decorator if `fn` is not given.
    
    Raises:
        QuadrantsSyntaxError: the func is called from Python, outside a kernel.
    
    Example:
        >>> @qd.func
        ... def square(x):
        ...     return x * x
        >>> @qd.kernel
        ... def f(x: qd.f32) -> qd.f32:
        ...     return square(x)
        >>> f(3.0)
        9.0"""

@overload
def func(fn: None=None, *, is_real_function: bool=False, requires_top_level: bool=False) -> Callable[[_F], _F]:
    """Makes a function that kernels and other funcs may call; it is inlined at each call.
    
    Args:
        fn: the function, if the decorator is written `@qd.func` without options. Annotations are optional; `qd.template()` passes by
            reference.
        is_real_function: whether to make a real func, see `qd.real_func`.
        requires_top_level: whether a call within a loop or branch is an error.
    
    Returns:
        The func, or a decorator if `fn` is not given.
    
    Raises:
        QuadrantsSyntaxError: the func is called from Python, outside a kernel.
    
    Example:
        >>> @qd.func
        ... def square(x):
        ...     return x * x
        >>> @qd.kernel
        ... def f(x: qd.f32) -> qd.f32:
        ...     return square(x)
        >>> f(3.0)
        9.0"""

def real_func(fn: _F) -> _F:
    """Makes a func that may return from within branches and loops and may call itself. Parameters and result need annotations.
    
    Args:
        fn: the function.
    
    Returns:
        The func.
    
    Raises:
        QuadrantsSyntaxError: the func is called from Python, or a parameter has no type.
    
    Example:
        >>> @qd.real_func
        ... def fib(n: qd.i32) -> qd.i32:
        ...     if n < 2:
        ...         return n
        ...     return fib(n - 1) + fib(n - 2)
        >>> @qd.kernel
        ... def f(n: qd.i32) -> qd.i32:
        ...     return fib(n)
        >>> f(10)
        55"""

def pyfunc(fn: _F) -> _F:
    """Makes a function that can be called from both kernels and Python.
    
    Args:
        fn: the function; it may use only what is valid in both.
    
    Returns:
        The function.
    
    Example:
        >>> @qd.pyfunc
        ... def twice(x):
        ...     return 2 * x
        >>> twice(4)
        8"""

def pure(fn: _F) -> _F:
    """Former spelling of `@qd.kernel(fastcache=True)`. Deprecated.
    
    Args:
        fn: the function or kernel. The decorator stands below `@qd.kernel`.
    
    Returns:
        The function, marked.
    
    Example:
        >>> @qd.kernel
        ... @qd.pure
        ... def f(x: qd.i32) -> qd.i32:
        ...     return x + 1
        >>> f(1)
        2"""

@overload
def data_oriented(cls: _C, *, stable_members: bool=False, template_primitives: bool=True) -> _C:
    """Marks a class whose methods may be kernels and funcs.
    
    Args:
        cls: the class, if the decorator is written `@qd.data_oriented` without options.
        stable_members: promise that no attribute is assigned again. It has no effect, since every launch compares the attributes.
        template_primitives: if True, numbers among the attributes of an instance are compile-time constants of its kernels; if False, they
            are read at every launch.
    
    Returns:
        The class, or a decorator.
    
    Example:
        >>> @qd.data_oriented
        ... class Counter:
        ...     def __init__(self, n):
        ...         self.x = qd.field(qd.i32, shape=n)
        ...     @qd.kernel
        ...     def step(self):
        ...         for i in self.x:
        ...             self.x[i] += i
        >>> c = Counter(3)
        >>> c.step()
        >>> c.x.to_numpy()
        array([0, 1, 2], dtype=int32)"""

@overload
def data_oriented(cls: None=None, *, stable_members: bool=False, template_primitives: bool=True) -> Callable[[_C], _C]:
    """Marks a class whose methods may be kernels and funcs.
    
    Args:
        cls: the class, if the decorator is written `@qd.data_oriented` without options.
        stable_members: promise that no attribute is assigned again. It has no effect, since every launch compares the attributes.
        template_primitives: if True, numbers among the attributes of an instance are compile-time constants of its kernels; if False, they
            are read at every launch.
    
    Returns:
        The class, or a decorator.
    
    Example:
        >>> @qd.data_oriented
        ... class Counter:
        ...     def __init__(self, n):
        ...         self.x = qd.field(qd.i32, shape=n)
        ...     @qd.kernel
        ...     def step(self):
        ...         for i in self.x:
        ...             self.x[i] += i
        >>> c = Counter(3)
        >>> c.step()
        >>> c.x.to_numpy()
        array([0, 1, 2], dtype=int32)"""
if types._Checker.MYPY:
    from quadrants._mypy import dataclass as dataclass

def dataclass(cls: type[_T]) -> type[_StructOf[_T]]:
    """Makes a struct type of a class: its annotations become the members, its functions the methods.
    
    Args:
        cls: the class. Its members have number, vector, matrix or struct types.
    
    Returns:
        The struct type. Calling it makes a value; `.field(shape=...)` makes a field of such values.
    
    Raises:
        QuadrantsSyntaxError: a member has no type.
    
    Example:
        >>> @qd.dataclass
        ... class Ball:
        ...     x: qd.math.vec2
        ...     r: qd.f32
        ...     @qd.func
        ...     def area(self):
        ...         return qd.math.pi * self.r ** 2
        >>> balls = Ball.field(shape=4)
        >>> balls[0].r
        0.0"""

def ref(tp: _Type) -> Any:
    """Makes the type of a parameter of a real func that is passed by reference: assignments in the func change the caller's variable.
    
    Args:
        tp: the type of the variable: a number, vector or matrix type.
    
    Returns:
        An annotation.
    
    Example:
        >>> @qd.real_func
        ... def add_one(x: qd.ref(qd.i32)):
        ...     x += 1
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     y = 1
        ...     add_one(y)
        ...     return y
        >>> f()
        2"""

class _StructOf(Generic[_T]):
    """A value of a struct class."""
    methods: ClassVar[dict[str, Any]]
    members: ClassVar[dict[str, Any]]

    def __init__(self, *args: Any, **members: Any) -> None: ...

    def __getattr__(self, name: str, /) -> Any: ...

    def __setattr__(self, name: str, value: Any, /) -> None: ...

    def __getitem__(self, name: str, /) -> Any: ...

    def __setitem__(self, name: str, value: Any, /) -> None: ...

    @classmethod
    def field(cls, shape: _Shape | None=None, layout: Layout | None=None, **keywords: Any) -> _FieldOf[_T]: ...

class _Implementations(Generic[_P, _R]):
    """A prototype; `@prototype.register` adds an implementation."""
    __name__: str

    @property
    def fn(self) -> Callable[_P, _R]: ...

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R: ...

    def __getattr__(self, name: str, /) -> Any: ...

    def register(self, kernel: Any=None, *, is_compatible: Callable[..., bool] | None=None) -> Any: ...

    @overload
    def __get__(self, instance: None, owner: Any=None, /) -> Self: ...

    @overload
    def __get__(self: _Made[Concatenate[_S, _P2], _R2], instance: _S, owner: Any=None, /) -> _Implementations[_P2, _R2]: ...

def perf_dispatch(*, get_geometry_hash: Callable[..., Any], first_warmup: int=1, warmup: int=0, active: int=1, repeat_after_count: int | None=None, repeat_after_seconds: float | None=None) -> Callable[[Callable[_P, _R]], _Implementations[_P, _R]]:
    """Decorates an empty prototype. Implementations are added with `@prototype.register`. They are timed for each value of
    `get_geometry_hash(*args)`, and afterwards the fastest is called. All must give the same result.
    
    Args:
        get_geometry_hash: function of the arguments; calls with equal results are assumed to take the same time.
        first_warmup: number of calls of an implementation before the first measurement.
        warmup: number of calls before each later measurement.
        active: number of measured calls.
        repeat_after_count: number of calls after which to measure again; None: never.
        repeat_after_seconds: time in seconds after which to measure again; None: never.
    
    Returns:
        A decorator.
    
    Raises:
        QuadrantsRuntimeError: no implementation is compatible with the arguments.
    
    Example:
        >>> @qd.perf_dispatch(get_geometry_hash=lambda x: x.shape)
        ... def fill(x: qd.types.ndarray()): ...
        >>> @fill.register
        ... @qd.kernel
        ... def plain(x: qd.types.NDArray[qd.i32, 1]):
        ...     for i in x:
        ...         x[i] = i
        >>> x = qd.ndarray(qd.i32, 3)
        >>> fill(x)
        >>> x.to_numpy()
        array([0, 1, 2], dtype=int32)"""
u1: TypeAlias = int
'The type of truth values; as a function it converts.'
i8: TypeAlias = int
'Integers of 8 bits; as a function it converts and wraps.'
i16: TypeAlias = int
'Integers of 16 bits; as a function it converts and wraps.'
i32: TypeAlias = int
'Integers of 32 bits; as a function it converts and wraps.'
i64: TypeAlias = int
'Integers of 64 bits; as a function it converts and wraps.'
u8: TypeAlias = int
'Unsigned integers of 8 bits; as a function it converts and wraps.'
u16: TypeAlias = int
'Unsigned integers of 16 bits; as a function it converts and wraps.'
u32: TypeAlias = int
'Unsigned integers of 32 bits; as a function it converts and wraps.'
u64: TypeAlias = int
'Unsigned integers of 64 bits; as a function it converts and wraps.'
f16: TypeAlias = float
'Floats of 16 bits; as a function it converts and rounds.'
f32: TypeAlias = float
'Floats of 32 bits; as a function it converts and rounds.'
f64: TypeAlias = float
'Floats of 64 bits; as a function it converts and rounds.'
uint1 = u1
int8 = i8
int16 = i16
int32 = i32
int64 = i64
uint8 = u8
uint16 = u16
uint32 = u32
uint64 = u64
float16 = f16
float32 = f32
float64 = f64
Template: TypeAlias = Any
'Annotation of a parameter that is known at compile time: a field, a number, a func, any object.'

def template(element_type: Any=..., ndim: int | None=None) -> Any:
    """Annotation of a parameter that is known at compile time: a field, a number, a func, any object. The kernel is compiled once for each
    distinct argument. In a func, the argument is passed by reference.
    
    Args:
        element_type: the type of the elements; informative only, not checked.
        ndim: the number of axes; informative only, not checked.
    
    Example:
        >>> x, y = qd.field(qd.i32, shape=3), qd.field(qd.i32, shape=3)
        >>> @qd.kernel
        ... def fill(f: qd.template(), value: qd.i32):
        ...     for i in f:
        ...         f[i] = value
        >>> fill(x, 1); fill(y, 2)
        >>> y.to_numpy()
        array([2, 2, 2], dtype=int32)"""

def sparse_matrix_builder() -> Any:
    """Annotation of a parameter that takes a `qd.linalg.SparseMatrixBuilder`. In the kernel, `A[i, j] += v` adds an entry.
    
    Example:
        >>> @qd.kernel
        ... def unit(A: qd.types.sparse_matrix_builder()):
        ...     for i in range(2):
        ...         A[i, i] += 1.0
        >>> K = qd.linalg.SparseMatrixBuilder(2, 2, max_num_triplets=4)
        >>> unit(K)
        >>> K.build().shape
        (2, 2)"""

def init(arch: _Arch | Sequence[_Arch] | str | None=None, default_fp: type[Any] | None=None, default_ip: type[Any] | None=None, _test_mode: bool=False, enable_fallback: bool=True, require_version: Any=None, print_non_pure: bool=False, src_ll_cache: bool=True, *, fast_math: bool=True, short_circuit_operators: bool=True, unrolling_limit: int=32, raise_on_templated_floats: bool=False, deterministic: bool=False, opt_level: int=1, cfg_optimization: bool=True, advanced_optimization: bool=True, cache_loop_invariant_global_vars: bool=True, make_thread_local: bool=True, flatten_if: bool=False, debug: bool=False, check_out_of_bound: bool=False, print_full_traceback: bool=False, gdb_trigger: bool=False, cpu_max_num_threads: int=0, make_cpu_multithreading_loop: bool=True, default_cpu_block_dim: int=32, cpu_block_dim_adaptive: bool=True, num_compile_threads: int=4, compile_tiers: bool=True, random_seed: int=0, offline_cache: bool=True, offline_cache_file_path: str='', offline_cache_max_size_of_files: int=104857600, offline_cache_cleaning_policy: str='lru', offline_cache_cleaning_factor: float=0.25, log_level: str='info', kernel_profiler: bool=False, timeline: bool=False, print_ir: bool=False, print_ir_dbg_info: bool=False, print_preprocessed_ir: bool=False, print_kernel_llvm_ir: bool=False, print_kernel_llvm_ir_optimized: bool=False, print_kernel_asm: bool=False, debug_dump_path: str='/tmp/ir/', move_loop_invariant_outside_if: bool=False, demote_dense_struct_fors: bool=True, make_block_local: bool=True, detect_read_only: bool=True, real_matrix_scalarize: bool=True, force_scalarize_matrix: bool=False, half2_vectorization: bool=False, simplify_before_lower_access: bool=True, lower_access: bool=True, simplify_after_lower_access: bool=True, use_llvm: bool=True, verbose: bool=True, verbose_kernel_launches: bool=False, print_accessor_ir: bool=False, print_struct_llvm_ir: bool=False, print_kernel_amdgcn: bool=False, default_gpu_block_dim: int=128, max_block_dim: int=0, saturating_grid_dim: int=0, gpu_max_reg: int=0, device_memory_GB: float=1.0, device_memory_fraction: float=0.0, cuda_stack_limit: int=0, external_metal_command_queue: int=0, external_metal_command_queue_is_torch_queue: bool=False, vk_api_version: str='', ad_stack_experimental_enabled: bool=False, ad_stack_size: int=0, ad_stack_budget_bytes: int=0, ad_stack_sparse_threshold_bytes: int=104857600, quant_opt_store_fusion: bool=True, quant_opt_atomic_demotion: bool=True, make_mesh_block_local: bool=True, optimize_mesh_reordered_mapping: bool=True, mesh_localize_to_end_mapping: bool=True, mesh_localize_from_end_mapping: bool=False, mesh_localize_all_attr_mappings: bool=False, demote_no_access_mesh_fors: bool=True, experimental_auto_mesh_local: bool=False, auto_mesh_local_default_occupacy: int=4) -> None:
    """Starts a program on `arch` and ends the previous one, whose fields, arrays and compiled kernels become invalid.
    
    Args:
        arch: the architecture that runs the kernels: `qd.cpu`, `qd.python` (in Python, for debugging), `qd.gpu`, a list in order of
            preference, or a name as a string. None: `QD_ARCH`, or the CPU if that is not set.
        default_fp: default type of floating-point numbers: `qd.f32`, `qd.f16` or `qd.f64`.
        default_ip: default type of integers: `qd.i32` or `qd.i64`.
        _test_mode: for tests of options: starts nothing and returns the options that are not part of `qd.cfg`.
        enable_fallback: if True, use the CPU when `arch` is not available; if False, raise an error.
        require_version: a version such as "0.1.0"; an error is raised if the package has a different one.
        print_non_pure: report kernels that read globals.
        src_ll_cache: cache the compiled form of kernels on disk, so that the next process neither parses nor lowers them.
        **compile_config_kwargs: any option from the table of options; each can also be set in the environment as QD_<NAME>.
    
    Raises:
        KeyError: an option is unknown. ValueError, AssertionError: the value of an option is not valid. RuntimeError: `arch` is not
        available and enable_fallback is False.
    
    Example:
        >>> qd.init(arch=qd.cpu, default_fp=qd.f64, random_seed=7)
        >>> qd.cfg.random_seed
        7
    
    Options:
        default_ip: default type of integers: i32 or i64; 32 or 64 in the environment
        default_fp: default type of real numbers: f16, f32 or f64; 32 or 64 in the environment
        fast_math: real arithmetic may be reordered and fused, and subnormal numbers may be flushed to zero; off: exactly as in IEEE 754, with the same results on every processor
        short_circuit_operators: `and` and `or` do not evaluate their right side if the left side decides the result
        unrolling_limit: warn if more than this number of iterations is unrolled; 0: never
        raise_on_templated_floats: refuse floats as compile-time values of a kernel
        deterministic: sums of real numbers and qd.random are bitwise identical in every run and with any number of threads
        opt_level: 0: fast compilation of slow code; all values from 1 on are equivalent
        cfg_optimization: stored values are not loaded again; off: memory is read and written exactly as the kernel says
        advanced_optimization: algebraic simplification, such as x * 1 = x; off: only constants are evaluated
        cache_loop_invariant_global_vars: an element that a loop reads and writes stays in a register while the loop runs
        make_thread_local: each thread accumulates its own partial sum for a shared element; off: one atomic addition per iteration
        flatten_if: branches become selections if both sides can be computed; off: only small ones do
        debug: check indices, overflow, division and assertions while kernels run, and the IR after every pass, which takes up to a tenth of the time that large kernels take to compile
        check_out_of_bound: check indices; `debug` implies it
        print_non_pure: report kernels that read globals
        print_full_traceback: hide the source locations in the kernel that errors otherwise show
        gdb_trigger: has no effect here; programs set it
        cpu_max_num_threads: number of threads that run loops; 0: one for each core that the process may use
        make_cpu_multithreading_loop: run parallel loops on several threads; off: in order, on one
        default_cpu_block_dim: iterations per chunk of a thread, or a multiple of it if iterations are short; 32: chosen by the length of the loop
        cpu_block_dim_adaptive: off: `default_cpu_block_dim` applies even if it is 32
        num_compile_threads: maximum number of threads that compile the tasks of one kernel
        compile_tiers: start with quickly compiled code, and switch to optimised code once that is compiled
        random_seed: seed of qd.random
        offline_cache: keep compiled code on disk
        src_ll_cache: keep lowered kernels on disk, so that the next process neither parses nor lowers them
        offline_cache_file_path: the folder; empty: qdcache below $XDG_CACHE_HOME/quadrants or ~/.cache/quadrants
        offline_cache_max_size_of_files: size of the cache, in bytes, above which kernels are removed
        offline_cache_cleaning_policy: which kernels are removed first: lru, fifo or version; never, and any other value, removes none
        offline_cache_cleaning_factor: fraction of the kernels that is removed when the cache exceeds that size
        log_level: lowest level of messages that are shown: trace, debug, info, warn, error, critical, off
        kernel_profiler: measure every task: qd.profiler
        timeline: record a timeline of compilations and launches for Perfetto: timeline_save of quadrants.lang.misc
        print_ir: print the IR after every pass
        print_ir_dbg_info: show source locations, `@line:column`, in printed or dumped IR
        print_preprocessed_ir: print the IR that the frontend produces for each kernel
        print_kernel_llvm_ir: print the LLVM IR of each kernel before LLVM optimises it
        print_kernel_llvm_ir_optimized: print the LLVM IR of each kernel after LLVM has optimised it
        print_kernel_asm: print the machine code of each kernel
        debug_dump_path: folder used by QD_DUMP_IR and QD_LOAD_IR
        external_metal_command_queue: the Metal command queue to use, as a pointer; 0: a new one. An error if kernels do not run on Metal
        ad_stack_experimental_enabled: stacks for reverse mode, which nested loops need
        ad_stack_size: number of entries of each such stack, one more than the loop has iterations; 0: as many as needed
        ad_stack_budget_bytes: limit, in bytes, of the stacks of one iteration of a parallel loop: values that do not fit are recomputed; 0: no limit"""

def reset() -> None:
    """Ends the running program: frees its memory, drops compiled kernels, and invalidates its arrays and fields.
    
    Raises:
        KeyboardInterrupt: Ctrl-C was pressed while waiting for launches; the program has ended all the same.
    
    Example:
        >>> qd.reset()"""

def sync() -> None:
    """Waits until all launches have completed. On the CPU, launches have completed when the call returns; there, sync flushes the output of
    kernels and makes programs portable to GPUs.
    
    Example:
        >>> qd.sync()"""

def is_extension_enabled(ext: extension) -> bool:
    """Returns whether the running architecture supports an extension.
    
    Args:
        ext: a member of `qd.extension`, such as `qd.extension.sparse`.
    
    Returns:
        True or False.
    
    Example:
        >>> qd.is_extension_enabled(qd.extension.sparse)
        True"""

def is_initialized() -> bool:
    """Returns whether a program is running: `qd.init()` was called, and `qd.reset()` was not called since. A library asks before it calls
    `qd.init()`, which would end the program of its caller.
    
    Returns:
        True or False.
    
    Example:
        >>> qd.is_initialized()
        True"""
__version__: tuple[int, int, int]

def is_logging_effective(level: str) -> bool:
    """Returns whether messages of `level` are shown.
    
    Args:
        level: `qd.TRACE`, `qd.DEBUG`, `qd.INFO`, `qd.WARN`, `qd.ERROR` or `qd.CRITICAL`, or one of their names as a string.
    
    Returns:
        True or False.
    
    Example:
        >>> qd.is_logging_effective(qd.ERROR)
        True"""

def set_logging_level(level: str) -> None:
    """Sets the lowest level of messages that are shown.
    
    Args:
        level: `qd.TRACE`, `qd.DEBUG`, `qd.INFO`, `qd.WARN`, `qd.ERROR` or `qd.CRITICAL`, or one of their names as a string.
    
    Example:
        >>> qd.set_logging_level(qd.WARN)
        >>> qd.is_logging_effective(qd.INFO)
        False
        >>> qd.set_logging_level(qd.INFO)"""

def dump_compile_config() -> None:
    """Prints every compile option and its value, one per line.
    
    Example:
        >>> qd.dump_compile_config()  # doctest: +ELLIPSIS
        ad_stack_budget_bytes=0
        ..."""

class Matrix:
    """A matrix of numbers. In a kernel it is a compile-time constant; matrix arguments and results of kernels have this class. Operators
    work elementwise, `@` is the matrix product, and `m[i, j]` is an element.
    
    Args:
        *args: the rows, as a list of lists; or the components of a vector; or a NumPy array. The type may follow.
        **keywords: `dt`, the type of the components; `needs_grad`, which must be False, since a value has no gradient.
    
    Attributes:
        n: number of rows.
        m: number of columns.
        entries: the components in a flat list, in row-major order.
        x, y, z, w, r, g, b, a, s, t, p, q: the first four components of a vector, as in shading languages. Several letters, such as `v.xy`,
            make a vector.
    
    Example:
        >>> A = qd.Matrix([[1, 2], [3, 4]])
        >>> (A @ qd.Vector([1, 1]), A.transpose(), A[1, 0])
        ([3 7], [[1 3]
         [2 4]], 3)"""

    @overload
    def __init__(self, arr: Any, dt: _Type | None=None, needs_grad: bool=False) -> None: ...

    @overload
    def __init__(self, *components: Any) -> None: ...
    a: Any

    def all(self) -> Any:
        """Returns whether all components are nonzero."""

    def any(self) -> Any:
        """Returns whether any component is nonzero."""
    b: Any

    def cast(self, dtype: type[Any]) -> Self:
        """Converts the components to another type.
        
        Args:
            dtype: a number type."""

    @staticmethod
    def cols(cols: Sequence[Any]) -> Matrix:
        """Makes a matrix from its columns.
        
        Args:
            cols: vectors or lists of equal length."""

    def cross(self, other: Any) -> Any:
        """Returns the cross product of two vectors of length 3, or the number a.x * b.y - a.y * b.x for vectors of length 2.
        
        Args:
            other: a vector of the same length."""

    def determinant(self) -> Any:
        """Returns the determinant of a square matrix with up to 4 rows."""

    @staticmethod
    def diag(dim: int, val: Any) -> Matrix:
        """Makes a square matrix with `val` on its diagonal and 0 elsewhere.
        
        Args:
            dim: number of rows.
            val: a number."""

    def dot(self, other: Any) -> Any:
        """Returns the dot product.
        
        Args:
            other: a vector of the same length."""

    @classmethod
    @overload
    def field(cls, n: int, m: int, dtype: _Type | Sequence[Any], shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=..., ndim: int | None=None) -> _MatricesField:
        """Makes a field of matrices; with ndim=1, of vectors, for which m must be 1.
        
        Args:
            n: number of rows.
            m: number of columns.
            dtype: type of the components, or a list with one type per component.
            shape: an integer or a tuple of integers; None: the field is placed in a tree.
            order: memory order of the axes, such as "ji".
            name: the name of the field in errors and profiles.
            offset: the first index of each axis.
            needs_grad: whether to allocate gradients, as the field `grad`.
            needs_dual: whether to allocate duals, as the field `dual`.
            layout: `qd.Layout.AOS`, the components of an element are adjacent, or `qd.Layout.SOA`, each component is stored apart.
            ndim: number of indices of an element: 1 or 2."""

    @classmethod
    @overload
    def field(cls, *, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _MatricesField:
        """Makes a field of matrices; with ndim=1, of vectors, for which m must be 1.
        
        Args:
            n: number of rows.
            m: number of columns.
            dtype: type of the components, or a list with one type per component.
            shape: an integer or a tuple of integers; None: the field is placed in a tree.
            order: memory order of the axes, such as "ji".
            name: the name of the field in errors and profiles.
            offset: the first index of each axis.
            needs_grad: whether to allocate gradients, as the field `grad`.
            needs_dual: whether to allocate duals, as the field `dual`.
            layout: `qd.Layout.AOS`, the components of an element are adjacent, or `qd.Layout.SOA`, each component is stored apart.
            ndim: number of indices of an element: 1 or 2."""

    def fill(self, val: Any) -> None:
        """Sets all components to `val`.
        
        Args:
            val: a number."""

    def frobenius_inner(self, other: Any) -> Any:
        """Returns the Frobenius inner product: the sum of the elementwise products.
        
        Args:
            other: a matrix of the same shape."""
    g: Any

    def get_shape(self) -> tuple[int, ...]:
        """Returns (n, m) of a matrix, (n,) of a vector."""

    @staticmethod
    def identity(dt: type[Any], n: int) -> Matrix:
        """Makes the identity matrix.
        
        Args:
            dt: type of the components.
            n: number of rows."""

    def inverse(self) -> Self:
        """Returns the inverse of a square matrix with up to 4 rows."""

    def max(self) -> Any:
        """Returns the largest component."""

    def min(self) -> Any:
        """Returns the smallest component."""

    @classmethod
    @overload
    def ndarray(cls, n: int, m: int, dtype: _Type, shape: _Shape, needs_grad: bool=False) -> MatrixNdarray:
        """Makes an ndarray of matrices.
        
        Args:
            n: number of rows.
            m: number of columns.
            dtype: type of the components.
            shape: an integer or a tuple of integers.
            needs_grad: whether to allocate gradients, as the array `grad`."""

    @classmethod
    @overload
    def ndarray(cls, *, shape: _Shape, needs_grad: bool=False) -> MatrixNdarray:
        """Makes an ndarray of matrices.
        
        Args:
            n: number of rows.
            m: number of columns.
            dtype: type of the components.
            shape: an integer or a tuple of integers.
            needs_grad: whether to allocate gradients, as the array `grad`."""

    def norm(self, eps: float=0) -> float:
        """Returns the Euclidean (or Frobenius) norm: sqrt(norm_sqr() + eps).
        
        Args:
            eps: a positive number avoids infinite derivatives at 0."""

    def norm_inv(self, eps: float=0) -> float:
        """Returns 1 / norm(eps).
        
        Args:
            eps: as for `norm`."""

    def norm_sqr(self) -> float:
        """Returns the sum of the squares of the components."""

    def normalized(self, eps: float=0) -> Self:
        """Returns the vector divided by (norm() + eps).
        
        Args:
            eps: a positive number avoids a division by 0."""

    @overload
    @staticmethod
    def one(dt: type[Any], n: int) -> Vector:
        """Makes a vector or matrix of ones.
        
        Args:
            dt: type of the components.
            n: number of rows.
            m: number of columns; None: makes a vector."""

    @overload
    @staticmethod
    def one(dt: type[Any], n: int, m: int | None=None) -> Matrix:
        """Makes a vector or matrix of ones.
        
        Args:
            dt: type of the components.
            n: number of rows.
            m: number of columns; None: makes a vector."""

    def outer_product(self, other: Any) -> Matrix:
        """Returns the outer product: element (i, j) is self[i] * other[j].
        
        Args:
            other: a vector."""
    p: Any
    q: Any
    r: Any

    @staticmethod
    def rows(rows: Sequence[Any]) -> Matrix:
        """Makes a matrix from its rows.
        
        Args:
            rows: vectors or lists of equal length."""
    s: Any

    def sum(self) -> Any:
        """Returns the sum of the components."""
    t: Any

    @classmethod
    def tensor(cls, n: int, m: int, dtype: _Type, shape: _Shape, **keywords: Any) -> MatrixTensor:
        """Makes a tensor of matrices, see `qd.tensor`.
        
        Args:
            n: number of rows.
            m: number of columns.
            dtype: type of the components.
            shape: an integer or a tuple of integers.
            **keywords: as for `qd.tensor`."""

    def to_list(self) -> list[Any]:
        """Returns the components as a list; for a matrix, a list of rows."""

    def to_numpy(self) -> _Array:
        """Returns the components as a NumPy array."""

    def trace(self) -> Any:
        """Returns the trace: the sum of the diagonal of a square matrix."""

    def transpose(self) -> Matrix:
        """Returns the transpose of a matrix. A vector has none: use `outer_product` instead."""

    @staticmethod
    def unit(n: int, i: int, dt: type[Any] | None=None) -> Vector:
        """Makes the unit vector with 1 at index `i` and 0 elsewhere.
        
        Args:
            n: number of components.
            i: the index.
            dt: type of the components; None: `default_ip`."""
    w: Any
    x: Any
    y: Any
    z: Any

    @overload
    @staticmethod
    def zero(dt: type[Any], n: int) -> Vector:
        """Makes a vector or matrix of zeros.
        
        Args:
            dt: type of the components.
            n: number of rows.
            m: number of columns; None: makes a vector."""

    @overload
    @staticmethod
    def zero(dt: type[Any], n: int, m: int | None=None) -> Matrix:
        """Makes a vector or matrix of zeros.
        
        Args:
            dt: type of the components.
            n: number of rows.
            m: number of columns; None: makes a vector."""

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...
    entries: Any
    n: int
    m: int

    def __getattr__(self, name: _Swizzle, /) -> Vector: ...

    def __setattr__(self, name: _Swizzle, value: Any, /) -> None: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...

    def __add__(self, other: Any) -> Self: ...

    def __radd__(self, other: Any) -> Self: ...

    def __sub__(self, other: Any) -> Self: ...

    def __rsub__(self, other: Any) -> Self: ...

    def __mul__(self, other: Any) -> Self: ...

    def __rmul__(self, other: Any) -> Self: ...

    def __truediv__(self, other: Any) -> Self: ...

    def __rtruediv__(self, other: Any) -> Self: ...

    def __floordiv__(self, other: Any) -> Self: ...

    def __rfloordiv__(self, other: Any) -> Self: ...

    def __mod__(self, other: Any) -> Self: ...

    def __rmod__(self, other: Any) -> Self: ...

    def __pow__(self, other: Any) -> Self: ...

    def __rpow__(self, other: Any) -> Self: ...

    def __and__(self, other: Any) -> Self: ...

    def __rand__(self, other: Any) -> Self: ...

    def __or__(self, other: Any) -> Self: ...

    def __ror__(self, other: Any) -> Self: ...

    def __xor__(self, other: Any) -> Self: ...

    def __rxor__(self, other: Any) -> Self: ...

    def __lshift__(self, other: Any) -> Self: ...

    def __rlshift__(self, other: Any) -> Self: ...

    def __rshift__(self, other: Any) -> Self: ...

    def __rrshift__(self, other: Any) -> Self: ...

    @overload
    def __matmul__(self, other: Vector) -> Vector: ...

    @overload
    def __matmul__(self, other: Matrix) -> Matrix: ...

    def __neg__(self) -> Self: ...

    def __pos__(self) -> Self: ...

    def __abs__(self) -> Self: ...

    def __invert__(self) -> Self: ...

    def __lt__(self, other: Any) -> Self: ...

    def __le__(self, other: Any) -> Self: ...

    def __gt__(self, other: Any) -> Self: ...

    def __ge__(self, other: Any) -> Self: ...

    def __eq__(self, other: Any) -> Any: ...

    def __ne__(self, other: Any) -> Any: ...

class Vector(Matrix):
    """A vector of numbers: a Matrix with one column, whose elements have one index.
    
    Args:
        *args: the components, as one list or as separate arguments. The type may follow.
        **keywords: `dt`, the type of the components.
    
    Example:
        >>> v = qd.Vector([3.0, 4.0])
        >>> (v.norm(), v.x, v.yx, 2 * v)
        (5.0, 3.0, [4. 3.], [6. 8.])"""

    @overload
    def __init__(self, arr: Any, dt: _Type | None=None, **keywords: Any) -> None: ...

    @overload
    def __init__(self, *components: Any) -> None: ...

    @classmethod
    @overload
    def field(cls, n: int, dtype: _Type | Sequence[Any], shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _VectorsField:
        """Makes a field of vectors.
        
        Args:
            n: number of components.
            dtype: type of the components, or a list with one type per component.
            shape: an integer or a tuple of integers; None: the field is placed in a tree.
            order: memory order of the axes, such as "ji".
            name: the name of the field in errors and profiles.
            offset: the first index of each axis.
            needs_grad: whether to allocate gradients, as the field `grad`.
            needs_dual: whether to allocate duals, as the field `dual`.
            layout: `qd.Layout.AOS`, the components of an element are adjacent, or `qd.Layout.SOA`, each component is stored apart."""

    @classmethod
    @overload
    def field(cls, *, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _VectorsField:
        """Makes a field of vectors.
        
        Args:
            n: number of components.
            dtype: type of the components, or a list with one type per component.
            shape: an integer or a tuple of integers; None: the field is placed in a tree.
            order: memory order of the axes, such as "ji".
            name: the name of the field in errors and profiles.
            offset: the first index of each axis.
            needs_grad: whether to allocate gradients, as the field `grad`.
            needs_dual: whether to allocate duals, as the field `dual`.
            layout: `qd.Layout.AOS`, the components of an element are adjacent, or `qd.Layout.SOA`, each component is stored apart."""

    @classmethod
    @overload
    def ndarray(cls, n: int, dtype: _Type, shape: _Shape, needs_grad: bool=False) -> VectorNdarray:
        """Makes an ndarray of vectors.
        
        Args:
            n: number of components.
            dtype: type of the components.
            shape: an integer or a tuple of integers.
            needs_grad: whether to allocate gradients, as the array `grad`."""

    @classmethod
    @overload
    def ndarray(cls, *, shape: _Shape, needs_grad: bool=False) -> VectorNdarray:
        """Makes an ndarray of vectors.
        
        Args:
            n: number of components.
            dtype: type of the components.
            shape: an integer or a tuple of integers.
            needs_grad: whether to allocate gradients, as the array `grad`."""

    @classmethod
    def tensor(cls, n: int, dtype: _Type, shape: _Shape, **keywords: Any) -> VectorTensor:
        """Makes a tensor of vectors, see `qd.tensor`.
        
        Args:
            n: number of components.
            dtype: type of the components.
            shape: an integer or a tuple of integers.
            **keywords: as for `qd.tensor`."""

class Tensor:
    """A field or an ndarray behind one interface. As the annotation of a kernel parameter it accepts either of them, or None.
    
    Args:
        impl: the field or ndarray.
    
    Attributes:
        shape: number of elements along each axis.
        ndim: number of axes.
        size: number of elements; a vector or a matrix is one.
        dtype: type of the components.
        layout: memory order of the axes; None: the last index varies fastest.
    
    Example:
        >>> t = qd.tensor(qd.f32, shape=3)
        >>> @qd.kernel
        ... def fill(x: qd.Tensor, v: qd.f32):
        ...     for i in x:
        ...         x[i] = v
        >>> fill(t, 2.0)
        >>> t.to_numpy()
        array([2., 2., 2.], dtype=float32)"""

    def __init__(self, impl: Any) -> None: ...

    def copy_from(self, other: Any) -> None:
        """Copies the values of another tensor.
        
        Args:
            other: a tensor with the same shape."""
    dtype: Any

    def fill(self, value: Any) -> None:
        """Sets all elements to `value`.
        
        Args:
            value: a number; for tensors of vectors and matrices, also a vector or matrix."""

    def from_numpy(self, arr: Any) -> None:
        """Sets the values from a NumPy array.
        
        Args:
            arr: an array with the shape of the tensor."""

    def from_torch(self, arr: Any) -> None:
        """Sets the values from a torch tensor.
        
        Args:
            arr: a torch tensor with the shape of this tensor."""

    @property
    def grad(self) -> Any:
        """The Tensor of the gradients, or None."""

    def has_dual(self) -> bool:
        """Returns whether the tensor has tangents."""

    def has_grad(self) -> bool:
        """Returns whether the tensor has gradients."""
    layout: Any
    shape: tuple[int, ...]

    def to_dlpack(self, versioned: Any=False) -> Any:
        """Returns a DLPack capsule for the memory.
        
        Args:
            versioned: whether to make a capsule of DLPack 1.0."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """Returns the values as a NumPy array.
        
        Args:
            dtype: the NumPy type to convert to; None: no conversion.
            copy: if True, return a copy; if False, a view of the memory, or raise an error; if None, a view if possible."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """Returns the values as a torch tensor.
        
        Args:
            device: the torch device; None: the device of the tensor.
            copy: as for `to_numpy`."""

    def __dlpack__(self, **keywords: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __len__(self) -> int: ...

    def __bytes__(self) -> bytes: ...
    ndim: int
    size: int

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

class VectorTensor(Tensor):
    """A tensor of vectors.
    
    Attributes:
        element_shape: (n,).
    
    Example:
        >>> qd.Vector.tensor(3, qd.f32, shape=2).element_shape
        (3,)"""
    element_shape: Any

    def __getitem__(self, key: Any, /) -> Vector: ...

class MatrixTensor(Tensor):
    """A tensor of matrices.
    
    Attributes:
        element_shape: (n, m).
    
    Example:
        >>> qd.Matrix.tensor(2, 2, qd.f32, shape=2).element_shape
        (2, 2)"""
    element_shape: Any

    def __getitem__(self, key: Any, /) -> Matrix: ...

class Field(Tensor):
    """Storage with an element type and a shape. In kernels and, one element at a time, in Python, `x[i, j]` reads and writes it.
    
    Attributes:
        shape: number of elements along each axis.
        dtype: type of the components.
        layout: the axes in storage order; None: the order of the indices.
        snode: the SNode that the field is placed in.
        grad: the field of gradients, or None.
        dual: the field of tangents for `qd.ad.FwdMode`, or None.
        name: the name of the field in errors.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(2, 2))
        >>> x[0, 1] = 3.0
        >>> x.to_numpy()
        array([[0., 3.],
               [0., 0.]], dtype=float32)
        >>> (x.shape, x.dtype)
        ((2, 2), f32)"""

    def __init__(self, dtype: Any, name: Any, members: Any) -> None: ...

    def copy_from(self, other: Any) -> None:
        """Copies the values of another field.
        
        Args:
            other: a field of the same shape.
        
        Raises:
            ValueError: the shapes differ."""
    dtype: Any

    def fill(self, val: Any) -> None:
        """Sets all elements to `val`; in a sparse tree, only active elements.
        
        Args:
            val: a number; for fields of vectors and matrices, also a vector or matrix."""

    def from_numpy(self, arr: Any) -> None:
        """Sets the values from a NumPy array; in a sparse tree, only of active elements. Numbers are converted to the type of the field,
        with a warning if integers change their value.
        
        Args:
            arr: an array with the shape of the field; for vectors and matrices, followed by their axes.
        
        Raises:
            ValueError: the shapes differ."""

    def from_torch(self, arr: Any) -> None:
        """Sets the values from a torch tensor.
        
        Args:
            arr: a tensor with the shape that `from_numpy` expects.
        
        Raises:
            ValueError: the shapes differ."""

    def has_dual(self) -> bool:
        """Returns whether the field has a `dual`."""

    def has_grad(self) -> bool:
        """Returns whether the field has a `grad`."""
    layout: Any

    def parent(self, n: int=1) -> SNode:
        """Returns the n-th SNode above the elements.
        
        Args:
            n: the number of levels; 1 is the SNode that contains the elements."""
    shape: tuple[int, ...]
    snode: SNode

    def to_dlpack(self, versioned: Any=False) -> Any:
        """Returns a DLPack capsule for the memory of the field.
        
        Args:
            versioned: whether to make a capsule of DLPack 1.0.
        
        Raises:
            ValueError: the memory is not that of a single array."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """Returns the values as a NumPy array. Fields of vectors and matrices have additional axes at the end.
        
        Args:
            dtype: the NumPy type to convert to; None: no conversion.
            copy: if True, return a copy; if False, a view of the memory, or raise an error; if None, a view if possible."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """Returns the values as a torch tensor.
        
        Args:
            device: the torch device; None: the device of the field.
            copy: as for `to_numpy`."""

    def __dlpack__(self, **keywords: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __len__(self) -> int: ...
    grad: Any
    dual: Any
    name: str

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

class ScalarField(Field):
    """A field of scalars, made by `qd.field(qd.f32, shape=...)`.
    
    Example:
        >>> isinstance(qd.field(qd.f32, shape=2), qd.ScalarField)
        True"""

    def __getitem__(self, key: Any) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...
    grad: ScalarField
    dual: ScalarField

class MatrixField(Field):
    """A field of vectors or matrices, made by `qd.Vector.field` and `qd.Matrix.field`.
    
    Attributes:
        n: number of rows of an element.
        m: number of columns; 1 for vectors.
    
    Args:
        n: number of rows.
        m: number of columns.
        ndim: number of indices of an element.
        dtype: type of the components.
        name: the name of the field in errors.
        members: the storage of each component.
        layout: AOS or SOA.
    
    Example:
        >>> v = qd.Vector.field(3, qd.f32, shape=2)
        >>> v[0] = [1.0, 2.0, 3.0]
        >>> v.get_scalar_field(1)[0]
        2.0"""

    def __init__(self, n: Any, m: Any, ndim: Any, dtype: Any, name: Any, members: Any, layout: Any) -> None: ...

    def get_scalar_field(self, *indices: int) -> ScalarField:
        """Returns the field of one component.
        
        Args:
            *indices: the indices of the component."""

    def to_numpy(self, keep_dims: bool=False, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """Returns the values as a NumPy array, see `Field.to_numpy`.
        
        Args:
            keep_dims: if True, vectors have a last axis of extent 1, like matrices with one column.
            dtype: the NumPy type to convert to; None: no conversion.
            copy: if True, return a copy; if False, a view of the memory, or raise an error; if None, a view if possible."""

    def to_torch(self, device: Any=None, keep_dims: Any=False, *, copy: Any=True) -> Any:
        """Returns the values as a torch tensor, see `Field.to_torch`.
        
        Args:
            device: the torch device; None: the device of the field.
            keep_dims: as for `to_numpy`.
            copy: as for `to_numpy`."""

    def __getitem__(self, key: Any) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...
    n: int
    m: int
    grad: MatrixField
    dual: MatrixField

class _VectorsField(MatrixField):
    """Field of vectors."""
    grad: _VectorsField
    dual: _VectorsField

    def __getitem__(self, key: Any, /) -> Vector: ...

class _MatricesField(MatrixField):
    """Field of matrices."""
    grad: _MatricesField
    dual: _MatricesField

    def __getitem__(self, key: Any, /) -> Matrix: ...

class StructField:
    """A field of structs: one field per member, interleaved (AOS) or apart (SOA). `f.member` is the field of a member.
    
    Args:
        struct_type: a struct type, made by `qd.types.struct` or `@qd.dataclass`.
        fields: the fields of the members, by name.
        layout: AOS or SOA.
    
    Attributes:
        shape: number of elements along each axis.
        keys: the names of the members.
        dtype: the struct type.
        layout: `qd.Layout.AOS` or `qd.Layout.SOA`.
        snode: the SNode that the field is placed in.
        grad: the struct field of the gradients of the members.
        dual: the struct field of the tangents of the members.
    
    Example:
        >>> f = qd.Struct.field({"x": qd.f32, "n": qd.i32}, shape=3)
        >>> f.n.fill(2)
        >>> (f[0].n, sorted(f.to_numpy()))
        (2, ['n', 'x'])"""

    def __init__(self, struct_type: Any, fields: Any, layout: Any) -> None: ...

    def copy_from(self, other: Any) -> None:
        """Copies the values of another field with the same struct type and shape.
        
        Args:
            other: the struct field to copy from."""
    dtype: Any

    def fill(self, val: Any) -> None:
        """Sets all elements to the struct or dict `val`, or all members to the number `val`.
        
        Args:
            val: a struct, a dict or a number."""

    def from_numpy(self, array_dict: dict[str, Any]) -> None:
        """Sets the values from NumPy arrays.
        
        Args:
            array_dict: member name -> array with the shape that the member's field expects."""

    def from_torch(self, array_dict: dict[str, Any]) -> None:
        """Sets the values from torch tensors.
        
        Args:
            array_dict: member name -> tensor with the shape that the member's field expects."""

    def get_member_field(self, key: Any) -> Any:
        """Returns the field of one member.
        
        Args:
            key: the name of the member."""

    def has_dual(self) -> bool:
        """Returns whether the members have a `dual`."""

    def has_grad(self) -> bool:
        """Returns whether the members have a `grad`."""
    keys: list[str]
    layout: Any

    def parent(self, n: int=1) -> SNode:
        """Returns the n-th SNode above the elements.
        
        Args:
            n: the number of levels; 1 is the SNode that contains the elements."""
    shape: tuple[int, ...]
    snode: SNode

    def to_dlpack(self, versioned: Any=False) -> Any:
        """Raises an error, since a struct field is not a single array; use the fields of its members.
        
        Args:
            versioned: as for `Field.to_dlpack`."""

    def to_numpy(self, *, copy: bool | None=True) -> dict[str, Any]:
        """Returns the values of the members as NumPy arrays, by name.
        
        Args:
            copy: as for `Field.to_numpy`."""

    def to_torch(self, device: Any=None, *, copy: bool | None=True) -> dict[str, Any]:
        """Returns the values of the members as torch tensors, by name.
        
        Args:
            device: the torch device; None: the device of the field.
            copy: as for `Field.to_torch`."""

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __len__(self) -> int: ...
    grad: Any
    dual: Any

    def __getattr__(self, name: str, /) -> Any: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

class _FieldOf(StructField, Generic[_T]):
    """Field of the structs of one class."""

    def __getitem__(self, key: Any, /) -> _StructOf[_T]: ...

class Struct:
    """A struct value in Python scope; its members are accessed as attributes or by key. In a kernel, `qd.Struct(a=1, b=v)` makes a struct
    value.
    
    Args:
        *args: a dict of the members.
        **entries: the members by name.
    
    Attributes:
        entries: the members as a dict.
        keys: the names of the members.
        items: the pairs (name, value).
        methods: the methods of the struct, by name.
    
    Example:
        >>> s = qd.Struct(a=1, b=qd.Vector([1.0, 2.0]))
        >>> (s.a, s["b"], s.to_dict())
        (1, [1. 2.], {'a': 1, 'b': [1.0, 2.0]})"""

    def __init__(self, *args: Any, **entries: Any) -> None: ...
    entries: dict[str, Any]

    @staticmethod
    def field(members: dict[str, Any], methods: dict[str, Any]=..., shape: _Shape | None=None, name: str='<Struct>', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=..., order: str | None=None) -> StructField:
        """Makes a field of structs with the given members.
        
        Args:
            members: name -> type.
            methods: name -> func.
            shape: an integer or a tuple of integers; None: the field is placed in a tree.
            name: the name of the field in errors.
            offset: the first index of each axis.
            needs_grad: whether to allocate gradients for floating-point members, as their fields `grad`.
            needs_dual: whether to allocate duals for floating-point members, as their fields `dual`.
            layout: `qd.Layout.AOS`, the members of an element are adjacent, or `qd.Layout.SOA`, each member is stored apart.
            order: memory order of the axes, such as "ji"."""
    items: Any
    keys: Any
    methods: dict[str, Any]

    def to_dict(self, include_methods: bool=False, include_ndim: bool=False) -> dict[str, Any]:
        """Returns the members as a dict: nested structs as dicts, vectors and matrices as lists.
        
        Args:
            include_methods: whether to add the methods under the key `__struct_methods`.
            include_ndim: whether to add the number of indices of vectors and matrices."""

    def __getattr__(self, name: str, /) -> Any: ...

    def __setattr__(self, name: str, value: Any, /) -> None: ...

    def __getitem__(self, name: str, /) -> Any: ...

    def __setitem__(self, name: str, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...

class Ndarray(Tensor):
    """Contiguous array of scalars, vectors or matrices. In Python `x[i, j]` reads and writes one element; NumPy and torch access the
    memory through `__array__` and DLPack.
    
    Attributes:
        shape: number of elements along each axis.
        dtype: type of the components.
        element_shape: `()` for scalars, (n,) for vectors, (n, m) for matrices.
        layout: the axes in storage order; None: the order of the indices.
        grad: the array of gradients, or None.
        dual: None, since arrays have no tangents.
    
    Example:
        >>> x = qd.Vector.ndarray(2, qd.f32, shape=3)
        >>> x[0] = [1.0, 2.0]
        >>> (x.shape, x.element_shape, len(x), x[0])
        ((3,), (2,), 3, [1. 2.])"""

    def copy_from(self, other: Any) -> None:
        """Copies the values of another ndarray.
        
        Args:
            other: an ndarray with the same shape and element type."""
    element_shape: tuple[int, ...]

    def fill(self, val: Any) -> None:
        """Sets all elements to `val`.
        
        Args:
            val: a number; for arrays of vectors and matrices, also a vector or matrix."""

    def get_type(self) -> Any:
        """Returns the description of the elements: dtype, element shape and layout."""

    def has_dual(self) -> bool:
        """Returns False: arrays have no tangents."""

    def has_grad(self) -> bool:
        """Returns whether the array has gradients."""
    layout: Any
    shape: tuple[int, ...]

    def to_dlpack(self, versioned: Any=False) -> Any:
        """Returns a DLPack capsule for the memory of the array.
        
        Args:
            versioned: whether to make a capsule of DLPack 1.0."""

    def __dlpack__(self, **keywords: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...
    dtype: Any
    grad: Any
    dual: Any

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...

class ScalarNdarray(Ndarray):
    """An array of scalars, made by `qd.ndarray(qd.f32, shape)`.
    
    Args:
        dtype: type of the elements.
        arr_shape: a tuple of integers.
    
    Example:
        >>> import numpy as np
        >>> x = qd.ScalarNdarray(qd.i32, (2,))
        >>> x.from_numpy(np.array([1, 2], dtype=np.int32))
        >>> x.to_numpy()
        array([1, 2], dtype=int32)"""

    def __init__(self, dtype: Any, arr_shape: Any) -> None: ...

    def from_numpy(self, arr: Any) -> Any:
        """Sets the values from a NumPy array. Numbers are converted to the type of the array, with a warning if integers change their
        value.
        
        Args:
            arr: an array with the same shape; for vectors and matrices, followed by their axes.
        
        Raises:
            ValueError: the shapes differ."""

    def from_torch(self, arr: Any) -> Any:
        """Sets the values from a torch tensor.
        
        Args:
            arr: a tensor with the shape that `from_numpy` expects."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """Returns the values as a NumPy array.
        
        Args:
            dtype: the NumPy type to convert to; None: no conversion.
            copy: if True, return a copy; if False, a view of the memory, or raise an error; if None, a view if possible."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """Returns the values as a torch tensor.
        
        Args:
            device: the torch device; None: the device of the array.
            copy: as for `to_numpy`."""

    def __getitem__(self, key: Any) -> Any: ...

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __bytes__(self) -> bytes: ...
    grad: ScalarNdarray

class VectorNdarray(Ndarray):
    """An array of vectors, made by `qd.Vector.ndarray`.
    
    Args:
        n: number of components.
        dtype: type of the components.
        shape: a tuple of integers.
    
    Example:
        >>> qd.VectorNdarray(3, qd.f32, (2,)).to_numpy().shape
        (2, 3)"""

    def __init__(self, n: Any, dtype: Any, shape: Any) -> None: ...

    def from_numpy(self, arr: Any) -> Any:
        """Sets the values from a NumPy array. Numbers are converted to the type of the array, with a warning if integers change their
        value.
        
        Args:
            arr: an array with the same shape; for vectors and matrices, followed by their axes.
        
        Raises:
            ValueError: the shapes differ."""

    def from_torch(self, arr: Any) -> Any:
        """Sets the values from a torch tensor.
        
        Args:
            arr: a tensor with the shape that `from_numpy` expects."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """Returns the values as a NumPy array.
        
        Args:
            dtype: the NumPy type to convert to; None: no conversion.
            copy: if True, return a copy; if False, a view of the memory, or raise an error; if None, a view if possible."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """Returns the values as a torch tensor.
        
        Args:
            device: the torch device; None: the device of the array.
            copy: as for `to_numpy`."""

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __bytes__(self) -> bytes: ...
    grad: VectorNdarray

    def __getitem__(self, key: Any, /) -> Vector: ...

class MatrixNdarray(Ndarray):
    """An array of matrices, made by `qd.Matrix.ndarray`.
    
    Args:
        n: number of rows.
        m: number of columns.
        dtype: type of the components.
        shape: a tuple of integers.
    
    Example:
        >>> qd.MatrixNdarray(2, 3, qd.f32, (4,)).to_numpy().shape
        (4, 2, 3)"""

    def __init__(self, n: Any, m: Any, dtype: Any, shape: Any) -> None: ...

    def from_numpy(self, arr: Any) -> Any:
        """Sets the values from a NumPy array. Numbers are converted to the type of the array, with a warning if integers change their
        value.
        
        Args:
            arr: an array with the same shape; for vectors and matrices, followed by their axes.
        
        Raises:
            ValueError: the shapes differ."""

    def from_torch(self, arr: Any) -> Any:
        """Sets the values from a torch tensor.
        
        Args:
            arr: a tensor with the shape that `from_numpy` expects."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """Returns the values as a NumPy array.
        
        Args:
            dtype: the NumPy type to convert to; None: no conversion.
            copy: if True, return a copy; if False, a view of the memory, or raise an error; if None, a view if possible."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """Returns the values as a torch tensor.
        
        Args:
            device: the torch device; None: the device of the array.
            copy: as for `to_numpy`."""

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __bytes__(self) -> bytes: ...
    grad: MatrixNdarray

    def __getitem__(self, key: Any, /) -> Matrix: ...

@overload
def field(dtype: type[_StructOf[_T]], shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout | None=None) -> _FieldOf[_T]:
    """Makes a field: storage with an element type and a shape, which kernels access as a global or as a template argument. Before
    `qd.init`, the field gets its shape but no memory; `qd.init` then allocates it.
    
    Args:
        dtype: a number, vector, matrix, struct or quant type, or a class decorated with `@qd.dataclass`.
        shape: an integer or a tuple of integers; `()` means one element. None: the field is placed in a tree
            (`qd.root.dense(...).place(x)`).
        order: memory order of the axes, such as "ji"; None: the last index varies fastest.
        name: the name of the field in errors and profiles.
        offset: the first index of each axis; None: 0.
        needs_grad: whether to allocate gradients, as the field `grad` of the same shape.
        needs_dual: whether to allocate duals for `qd.ad.FwdMode`, as the field `dual`.
        layout: for vectors, matrices and structs: `qd.Layout.AOS`, the members of an element are adjacent, or `qd.Layout.SOA`, each member
            is stored apart.
    
    Returns:
        A ScalarField, MatrixField or StructField, filled with zeros.
    
    Raises:
        QuadrantsRuntimeError: an extent is not positive, or the field does not fit in memory; also when the field is used before
        `qd.init`. TypeError, QuadrantsTypeError: the shape or type is not valid for a field.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(2, 3))
        >>> x[1, 2] = 5.0
        >>> x.to_numpy().sum()
        np.float32(5.0)"""

@overload
def field(dtype: type[Vector] | types._VectorType, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _VectorsField:
    """Makes a field: storage with an element type and a shape, which kernels access as a global or as a template argument. Before
    `qd.init`, the field gets its shape but no memory; `qd.init` then allocates it.
    
    Args:
        dtype: a number, vector, matrix, struct or quant type, or a class decorated with `@qd.dataclass`.
        shape: an integer or a tuple of integers; `()` means one element. None: the field is placed in a tree
            (`qd.root.dense(...).place(x)`).
        order: memory order of the axes, such as "ji"; None: the last index varies fastest.
        name: the name of the field in errors and profiles.
        offset: the first index of each axis; None: 0.
        needs_grad: whether to allocate gradients, as the field `grad` of the same shape.
        needs_dual: whether to allocate duals for `qd.ad.FwdMode`, as the field `dual`.
        layout: for vectors, matrices and structs: `qd.Layout.AOS`, the members of an element are adjacent, or `qd.Layout.SOA`, each member
            is stored apart.
    
    Returns:
        A ScalarField, MatrixField or StructField, filled with zeros.
    
    Raises:
        QuadrantsRuntimeError: an extent is not positive, or the field does not fit in memory; also when the field is used before
        `qd.init`. TypeError, QuadrantsTypeError: the shape or type is not valid for a field.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(2, 3))
        >>> x[1, 2] = 5.0
        >>> x.to_numpy().sum()
        np.float32(5.0)"""

@overload
def field(dtype: type[Matrix] | types.MatrixType, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _MatricesField:
    """Makes a field: storage with an element type and a shape, which kernels access as a global or as a template argument. Before
    `qd.init`, the field gets its shape but no memory; `qd.init` then allocates it.
    
    Args:
        dtype: a number, vector, matrix, struct or quant type, or a class decorated with `@qd.dataclass`.
        shape: an integer or a tuple of integers; `()` means one element. None: the field is placed in a tree
            (`qd.root.dense(...).place(x)`).
        order: memory order of the axes, such as "ji"; None: the last index varies fastest.
        name: the name of the field in errors and profiles.
        offset: the first index of each axis; None: 0.
        needs_grad: whether to allocate gradients, as the field `grad` of the same shape.
        needs_dual: whether to allocate duals for `qd.ad.FwdMode`, as the field `dual`.
        layout: for vectors, matrices and structs: `qd.Layout.AOS`, the members of an element are adjacent, or `qd.Layout.SOA`, each member
            is stored apart.
    
    Returns:
        A ScalarField, MatrixField or StructField, filled with zeros.
    
    Raises:
        QuadrantsRuntimeError: an extent is not positive, or the field does not fit in memory; also when the field is used before
        `qd.init`. TypeError, QuadrantsTypeError: the shape or type is not valid for a field.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(2, 3))
        >>> x[1, 2] = 5.0
        >>> x.to_numpy().sum()
        np.float32(5.0)"""

@overload
def field(dtype: types.StructType, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout | None=None) -> StructField:
    """Makes a field: storage with an element type and a shape, which kernels access as a global or as a template argument. Before
    `qd.init`, the field gets its shape but no memory; `qd.init` then allocates it.
    
    Args:
        dtype: a number, vector, matrix, struct or quant type, or a class decorated with `@qd.dataclass`.
        shape: an integer or a tuple of integers; `()` means one element. None: the field is placed in a tree
            (`qd.root.dense(...).place(x)`).
        order: memory order of the axes, such as "ji"; None: the last index varies fastest.
        name: the name of the field in errors and profiles.
        offset: the first index of each axis; None: 0.
        needs_grad: whether to allocate gradients, as the field `grad` of the same shape.
        needs_dual: whether to allocate duals for `qd.ad.FwdMode`, as the field `dual`.
        layout: for vectors, matrices and structs: `qd.Layout.AOS`, the members of an element are adjacent, or `qd.Layout.SOA`, each member
            is stored apart.
    
    Returns:
        A ScalarField, MatrixField or StructField, filled with zeros.
    
    Raises:
        QuadrantsRuntimeError: an extent is not positive, or the field does not fit in memory; also when the field is used before
        `qd.init`. TypeError, QuadrantsTypeError: the shape or type is not valid for a field.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(2, 3))
        >>> x[1, 2] = 5.0
        >>> x.to_numpy().sum()
        np.float32(5.0)"""

@overload
def field(dtype: type[Any] | np.dtype[Any], shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False) -> ScalarField:
    """Makes a field: storage with an element type and a shape, which kernels access as a global or as a template argument. Before
    `qd.init`, the field gets its shape but no memory; `qd.init` then allocates it.
    
    Args:
        dtype: a number, vector, matrix, struct or quant type, or a class decorated with `@qd.dataclass`.
        shape: an integer or a tuple of integers; `()` means one element. None: the field is placed in a tree
            (`qd.root.dense(...).place(x)`).
        order: memory order of the axes, such as "ji"; None: the last index varies fastest.
        name: the name of the field in errors and profiles.
        offset: the first index of each axis; None: 0.
        needs_grad: whether to allocate gradients, as the field `grad` of the same shape.
        needs_dual: whether to allocate duals for `qd.ad.FwdMode`, as the field `dual`.
        layout: for vectors, matrices and structs: `qd.Layout.AOS`, the members of an element are adjacent, or `qd.Layout.SOA`, each member
            is stored apart.
    
    Returns:
        A ScalarField, MatrixField or StructField, filled with zeros.
    
    Raises:
        QuadrantsRuntimeError: an extent is not positive, or the field does not fit in memory; also when the field is used before
        `qd.init`. TypeError, QuadrantsTypeError: the shape or type is not valid for a field.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(2, 3))
        >>> x[1, 2] = 5.0
        >>> x.to_numpy().sum()
        np.float32(5.0)"""

@overload
def ndarray(dtype: type[Vector] | types._VectorType, shape: _Shape, needs_grad: bool=False, *, _layout: Any=None) -> VectorNdarray:
    """Makes an array in one contiguous block of memory, filled with zeros. Kernels take it as an argument: `x: qd.types.NDArray[qd.f32,
    2]`.
    
    Args:
        dtype: a number, vector or matrix type.
        shape: an integer or a tuple of integers.
        needs_grad: whether to allocate gradients, as the array `grad` of the same shape.
    
    Returns:
        A ScalarNdarray, VectorNdarray or MatrixNdarray.
    
    Raises:
        QuadrantsRuntimeError: no program is running, or the shape is not valid for an array. QuadrantsTypeError: the type is not valid for
        an array.
    
    Example:
        >>> x = qd.ndarray(qd.i32, shape=3)
        >>> x.fill(2)
        >>> x.to_numpy()
        array([2, 2, 2], dtype=int32)"""

@overload
def ndarray(dtype: type[Matrix] | types.MatrixType, shape: _Shape, needs_grad: bool=False, *, _layout: Any=None) -> MatrixNdarray:
    """Makes an array in one contiguous block of memory, filled with zeros. Kernels take it as an argument: `x: qd.types.NDArray[qd.f32,
    2]`.
    
    Args:
        dtype: a number, vector or matrix type.
        shape: an integer or a tuple of integers.
        needs_grad: whether to allocate gradients, as the array `grad` of the same shape.
    
    Returns:
        A ScalarNdarray, VectorNdarray or MatrixNdarray.
    
    Raises:
        QuadrantsRuntimeError: no program is running, or the shape is not valid for an array. QuadrantsTypeError: the type is not valid for
        an array.
    
    Example:
        >>> x = qd.ndarray(qd.i32, shape=3)
        >>> x.fill(2)
        >>> x.to_numpy()
        array([2, 2, 2], dtype=int32)"""

@overload
def ndarray(dtype: type[Any] | np.dtype[Any], shape: _Shape, needs_grad: bool=False, *, _layout: Any=None) -> ScalarNdarray:
    """Makes an array in one contiguous block of memory, filled with zeros. Kernels take it as an argument: `x: qd.types.NDArray[qd.f32,
    2]`.
    
    Args:
        dtype: a number, vector or matrix type.
        shape: an integer or a tuple of integers.
        needs_grad: whether to allocate gradients, as the array `grad` of the same shape.
    
    Returns:
        A ScalarNdarray, VectorNdarray or MatrixNdarray.
    
    Raises:
        QuadrantsRuntimeError: no program is running, or the shape is not valid for an array. QuadrantsTypeError: the type is not valid for
        an array.
    
    Example:
        >>> x = qd.ndarray(qd.i32, shape=3)
        >>> x.fill(2)
        >>> x.to_numpy()
        array([2, 2, 2], dtype=int32)"""

def tensor(dtype: _Type, shape: _Shape, *, backend: Backend=..., layout: Any=None, needs_grad: bool=False, **keywords: Any) -> Tensor:
    """Makes a tensor of scalars, vectors or matrices, stored in a field or an ndarray; all other code is independent of the choice.
    
    Args:
        dtype: a number, vector or matrix type.
        shape: an integer or a tuple of integers.
        backend: `qd.Backend.NDARRAY` or `qd.Backend.FIELD`.
        layout: memory order of the axes, as a tuple of numbers; None: the last index varies fastest.
        needs_grad: whether to allocate gradients.
        **keywords: further arguments of `qd.field` or `qd.ndarray`.
    
    Returns:
        A Tensor, VectorTensor or MatrixTensor.
    
    Raises:
        ValueError: the layout is not a permutation of the axes.
    
    Example:
        >>> t = qd.tensor(qd.f32, shape=(2, 2), backend=qd.Backend.NDARRAY)
        >>> t.shape
        (2, 2)"""

def wrap(impl: Any) -> Tensor:
    """Returns the Tensor of a field or ndarray.
    
    Args:
        impl: a field or an ndarray; a Tensor is returned unchanged.
    
    Returns:
        A Tensor.
    
    Raises:
        TypeError: `impl` is neither.
    
    Example:
        >>> qd.wrap(qd.ndarray(qd.f32, 3)).shape
        (3,)"""

class SNode:
    """A level of a tree: cells that contain further SNodes and field members. `qd.root` is the root of the first tree; each method adds an
    SNode below this one and returns it.
    
    Args:
        builder: the tree.
        parent: the SNode above.
        kind: the kind of SNode.
        levels: the extent along each axis.
        chunk: the chunk size of dynamic SNodes.
    
    Attributes:
        shape: number of cells along each axis, including the SNodes above.
        ptr: the core's handle.
    
    Example:
        >>> x = qd.field(qd.f32)
        >>> blocks = qd.root.pointer(qd.ij, 4)
        >>> _ = blocks.dense(qd.ij, 8).place(x)
        >>> x[3, 5] = 1.0
        >>> (x.shape, blocks.shape)
        ((32, 32), (4, 4))"""

    def __init__(self, builder: Any, parent: Any, kind: Any, levels: Any, chunk: Any=0) -> None: ...

    def bitmasked(self, axes: _Axes, dimensions: _Shape) -> SNode:
        """Adds a bitmasked SNode: all its cells have memory, and each is marked as active or inactive.
        
        Args:
            axes: axes such as `qd.ij`.
            dimensions: number of cells along each axis, an integer or a tuple."""

    def deactivate_all(self) -> None:
        """Deactivates all cells of this SNode and of those below."""

    def dense(self, axes: _Axes, dimensions: _Shape) -> SNode:
        """Adds a dense SNode: all its cells have memory.
        
        Args:
            axes: axes such as `qd.ij`.
            dimensions: number of cells along each axis, an integer or a tuple."""

    def dynamic(self, axis: _Axes, dimension: int, chunk_size: int | None=None) -> SNode:
        """Adds a dynamic SNode: a list of variable length along one axis, with memory allocated in chunks. `qd.append` adds values at its
        end.
        
        Args:
            axis: an axis such as `qd.i`.
            dimension: maximum number of values.
            chunk_size: number of values in a chunk; None: chosen automatically."""

    def lazy_dual(self) -> None:
        """Places the duals of all real-valued fields below this SNode next to them."""

    def lazy_grad(self) -> None:
        """Places the gradients of all real-valued fields below this SNode next to them."""

    def parent(self, n: int=1) -> SNode:
        """Returns the SNode above; `qd.root` at the top, None beyond.
        
        Args:
            n: number of levels."""

    def place(self, *fields: Any, offset: _Shape | None=None) -> SNode:
        """Places fields in the cells of this SNode.
        
        Args:
            *fields: fields without a shape.
            offset: the first index of each axis."""

    def pointer(self, axes: _Axes, dimensions: _Shape) -> SNode:
        """Adds a pointer SNode: a cell gets memory when it is written to or activated.
        
        Args:
            axes: axes such as `qd.ij`.
            dimensions: number of cells along each axis, an integer or a tuple."""

    def quant_array(self, axes: _Axes, dimensions: _Shape, max_num_bits: int) -> SNode:
        """Adds an SNode whose cells are numbers of a quant type packed in one word.
        
        Args:
            axes: axes such as `qd.i`.
            dimensions: number of cells along each axis.
            max_num_bits: size of the word in bits: 8, 16, 32 or 64."""
    shape: tuple[int, ...]
    ptr: Any

    def __iter__(self) -> Iterator[Any]: ...

class _Root(SNode):
    """The root of the trees of fields."""

    def __getattr__(self, name: str, /) -> Any: ...
root: _Root
cfg: _Config

class FieldsBuilder:
    """A tree separate from qd.root, which can be destroyed while the program is running. It has the methods of an SNode.
    
    Example:
        >>> tree = qd.FieldsBuilder()
        >>> x = qd.field(qd.f32)
        >>> _ = tree.dense(qd.i, 4).place(x)
        >>> memory = tree.finalize()
        >>> x.shape
        (4,)
        >>> memory.destroy()"""

    def __init__(self) -> None: ...

    def bitmasked(self, indices: _Axes, dimensions: _Shape) -> SNode:
        """Adds a bitmasked SNode below the root, see `SNode.bitmasked`.
        
        Args:
            indices: axes such as `qd.ij`.
            dimensions: number of cells along each axis."""

    def deactivate_all(self) -> None:
        """Deactivates all cells of the tree."""

    def dense(self, indices: _Axes, dimensions: _Shape) -> SNode:
        """Adds a dense SNode below the root, see `SNode.dense`.
        
        Args:
            indices: axes such as `qd.ij`.
            dimensions: number of cells along each axis."""

    def dynamic(self, index: _Axes, dimension: int, chunk_size: int | None=None) -> SNode:
        """Adds a dynamic SNode below the root, see `SNode.dynamic`.
        
        Args:
            index: an axis such as `qd.i`.
            dimension: maximum number of values.
            chunk_size: number of values in a chunk; None: chosen automatically."""

    def finalize(self, raise_warning: bool=True) -> Any:
        """Allocates the memory of the tree.
        
        Args:
            raise_warning: whether to warn if the tree is empty.
        
        Returns:
            An object whose `destroy()` frees the memory."""

    def lazy_dual(self) -> Any:
        """Places the duals of all real-valued fields of the tree next to them."""

    def lazy_grad(self) -> Any:
        """Places the gradients of all real-valued fields of the tree next to them."""

    def place(self, *args: Any, offset: _Shape | None=None) -> Any:
        """Places fields with one element in the root.
        
        Args:
            *args: fields without a shape.
            offset: the first index of each axis."""

    def pointer(self, indices: _Axes, dimensions: _Shape) -> SNode:
        """Adds a pointer SNode below the root, see `SNode.pointer`.
        
        Args:
            indices: axes such as `qd.ij`.
            dimensions: number of cells along each axis."""

    def quant_array(self, indices: _Axes, dimensions: _Shape, max_num_bits: int) -> SNode:
        """Adds an SNode whose cells are numbers of a quant type packed in one word.
        
        Args:
            indices: axes such as `qd.i`.
            dimensions: number of cells along each axis.
            max_num_bits: size of the word in bits: 8, 16, 32 or 64."""

def axes(*numbers: int) -> list[Any]:
    """Makes axes from their numbers: `qd.axes(0, 1)` is `qd.ij`.
    
    Args:
        *numbers: distinct integers, starting at 0.
    
    Returns:
        A list of axes, for SNodes.
    
    Example:
        >>> x = qd.field(qd.f32)
        >>> _ = qd.root.dense(qd.axes(0, 1), (2, 3)).place(x)
        >>> x.shape
        (2, 3)"""

def deactivate_all_snodes() -> None:
    """Deactivates all cells of all trees; sparse fields then read as zeros.
    
    Example:
        >>> qd.deactivate_all_snodes()"""

class Stream:
    """A queue of launches: `kernel(..., qd_stream=stream)`. As a context manager, it is destroyed at the end of the block. On the CPU, a
    launch has completed when the call returns.
    
    Args:
        handle: the device's handle; 0: none. `qd.create_stream()` makes streams.
    
    Attributes:
        handle: the device's handle, or 0.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return 1
        >>> with qd.create_stream() as s:
        ...     f(qd_stream=s)
        1"""

    def __init__(self, handle: Any=0) -> None: ...

    def destroy(self) -> None:
        """Releases the device resources. Calling it again, or after qd.reset(), has no effect."""

    def synchronize(self) -> None:
        """Waits until all earlier launches have completed; on the CPU it returns at once."""
    handle: int

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: Any) -> None: ...

class Event:
    """A point in the order of launches.
    
    Args:
        handle: the device's handle; 0: none. `qd.create_event()` makes events.
    
    Attributes:
        handle: the device's handle, or 0.
    
    Example:
        >>> with qd.create_event() as e:
        ...     e.record()
        ...     e.synchronize()"""

    def __init__(self, handle: Any=0) -> None: ...

    def destroy(self) -> None:
        """Releases the device resources. Calling it again, or after qd.reset(), has no effect."""

    def record(self, qd_stream: Stream | None=None, *, stream: Any=None) -> None:
        """Records the event after all work launched on the stream so far.
        
        Args:
            qd_stream: a stream; None: the default stream.
            stream: alias of `qd_stream`."""

    def synchronize(self) -> None:
        """Waits until all earlier launches have completed; on the CPU it returns at once."""

    def wait(self, qd_stream: Stream | None=None, *, stream: Any=None) -> None:
        """Makes all later launches on the stream wait for the event.
        
        Args:
            qd_stream: a stream; None: the default stream.
            stream: alias of `qd_stream`."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: Any) -> None: ...
    handle: int

def checkpoint(cp_id: Any, yield_on: Any) -> _Block:
    """`with qd.checkpoint(cp_id, yield_on=flag):` in a kernel with checkpoints=True is a block after which the launch ends if the array
    `flag` is nonzero. `kernel.resume(..., from_checkpoint=cp_id)` starts at this block. Experimental: names and rules may change.
    
    Args:
        cp_id: the label of the block: a number or a member of an IntEnum, unique among the blocks.
        yield_on: an array with one element of type i32.
    
    Example:
        >>> @qd.kernel(graph=True, checkpoints=True)
        ... def f(x: qd.types.NDArray[qd.i32, 1], flag: qd.types.NDArray[qd.i32, 0]):
        ...     with qd.checkpoint(1, yield_on=flag):
        ...         for i in x:
        ...             x[i] = i
        >>> f(qd.ndarray(qd.i32, 4), qd.ndarray(qd.i32, ())).yielded
        False"""

def graph_do_while(condition: Any) -> bool:
    """`while qd.graph.do_while(flag):` in a kernel with graph=True executes its body once, and again as long as the array `flag` is nonzero
    after an execution. In Python it is True.
    
    Args:
        condition: a parameter of the kernel, an array with one element of type i32.
    
    Returns:
        True, in Python.
    
    Example:
        >>> @qd.kernel(graph=True)
        ... def count(n: qd.types.NDArray[qd.i32, 0], flag: qd.types.NDArray[qd.i32, 0]):
        ...     while qd.graph.do_while(flag):
        ...         for i in range(1):
        ...             n[None] += 1
        ...             flag[None] = 1 if n[None] < 5 else 0
        >>> n, flag = qd.ndarray(qd.i32, ()), qd.ndarray(qd.i32, ())
        >>> flag.fill(1)
        >>> count(n, flag)
        >>> n[None]
        5"""

def graph_parallel() -> _Block:
    """`with qd.graph.parallel():` in a kernel is one of the blocks of a `qd.graph.parallel_context()`.
    
    Example:
        See `qd.graph.parallel_context`."""

def graph_parallel_context() -> _Block:
    """`with qd.graph.parallel_context():` in a kernel with graph=True contains blocks of `qd.graph.parallel()` that do not depend on each
    other.
    
    Example:
        >>> @qd.kernel(graph=True)
        ... def f(x: qd.types.NDArray[qd.i32, 1]):
        ...     with qd.graph.parallel_context():
        ...         with qd.graph.parallel():
        ...             for i in range(1):
        ...                 x[0] = 1
        ...         with qd.graph.parallel():
        ...             for i in range(1):
        ...                 x[1] = 2
        >>> x = qd.ndarray(qd.i32, 2)
        >>> f(x)
        >>> x.to_numpy()
        array([1, 2], dtype=int32)"""

def create_stream() -> Stream:
    """Makes a stream of the running program, see `qd.Stream`.
    
    Returns:
        A Stream.
    
    Example:
        >>> with qd.create_stream() as s:
        ...     s.synchronize()"""

def create_event() -> Event:
    """Makes an event of the running program, see `qd.Event`.
    
    Returns:
        An Event.
    
    Example:
        >>> with qd.create_event() as e:
        ...     e.record()"""

def stream_parallel() -> _Block:
    """`with qd.stream_parallel():` in a kernel contains code that may run concurrently with the kernel's other blocks of this kind. On the
    CPU the blocks run one after another; in Python the block runs as ordinary code.
    
    Raises:
        QuadrantsSyntaxError: the block is within a loop or branch, or next to statements that are not in such a block.
    
    Example:
        >>> x = qd.field(qd.i32, shape=2)
        >>> @qd.kernel
        ... def f():
        ...     with qd.stream_parallel():
        ...         for i in range(1):
        ...             x[0] = 1
        ...     with qd.stream_parallel():
        ...         for i in range(1):
        ...             x[1] = 2
        >>> f()
        >>> x.to_numpy()
        array([1, 2], dtype=int32)"""

class GraphStatus:
    """The result of launching a kernel that contains `qd.checkpoint` blocks. Experimental, as these are.
    
    Args:
        yielded: whether a checkpoint ended the launch.
        checkpoint: the label of that checkpoint, or None.
    
    Attributes:
        yielded: whether a checkpoint ended the launch.
        checkpoint: the label of that checkpoint, or None.
    
    Example:
        >>> qd.GraphStatus(False, None).yielded
        False"""

    def __init__(self, yielded: Any, checkpoint: Any) -> None: ...
    checkpoint: Any
    yielded: bool

class _Block:
    """For `with` in kernels."""

    def __enter__(self) -> Any: ...

    def __exit__(self, *args: Any) -> None: ...

class Mesh:
    """Makes meshes: `qd.Mesh.generate_meta(data)` makes metadata, `qd.Mesh._create_instance(metadata)` builds a mesh.
    
    Example:
        >>> qd.Mesh.load_meta("missing.json")
        Traceback (most recent call last):
        FileNotFoundError: [Errno 2] No such file or directory: 'missing.json'"""

    @staticmethod
    def generate_meta(data: Any) -> Any:
        """Makes metadata from the output of a patcher or from index arrays.
        
        Args:
            data: as for `MeshMetadata`."""

    @staticmethod
    def load_meta(filename: Any) -> Any:
        """Reads metadata from the JSON file of a patcher.
        
        Args:
            filename: the path of the file."""

    @staticmethod
    def _create_instance(metadata: Any) -> MeshInstance: ...

class MeshInstance:
    """A mesh.
    
    Args:
        metadata: the result of `qd.Mesh.generate_meta`.
    
    Attributes:
        verts, edges, faces, cells: the elements. `place({"x": qd.math.vec3})` adds attributes to them; kernels loop over them.
    
    Example:
        See the tests of meshes: tests/python/storage/test_meshes.py."""

    def __init__(self, metadata: Any) -> None: ...

    def get_position_as_numpy(self) -> _Array:
        """Returns the positions of the vertices from the metadata, one row each."""
    verts: Any
    edges: Any
    faces: Any
    cells: Any

    def __getattr__(self, name: str, /) -> Any: ...

class BitpackedFields:
    """Fields of quant types that share the bits of one word; placed in an SNode like a field.
    
    Args:
        max_num_bits: size of the word in bits: 8, 16, 32 or 64.
    
    Example:
        >>> x, y = qd.field(qd.types.quant.int(5)), qd.field(qd.types.quant.int(11))
        >>> pack = qd.BitpackedFields(max_num_bits=16)
        >>> pack.place(x, y)
        >>> _ = qd.root.dense(qd.i, 4).place(pack)
        >>> x[0] = 7
        >>> x[0]
        7"""

    def __init__(self, max_num_bits: Any) -> None: ...

    def place(self, *args: Any, shared_exponent: bool=False) -> None:
        """Assigns the next bits of the word to these fields.
        
        Args:
            *args: fields of quant types.
            shared_exponent: whether all fields share one exponent."""

class BufferView:
    """A view of `size` elements of an array starting at `offset`, passed to kernels as one argument; `view[i]` is element offset + i.
    
    Args:
        arr: an ndarray with one axis.
        offset: the index of the first element.
        size: the number of elements.
    
    Attributes:
        shape: (size,).
        element: type of the elements.
        boundary: treatment of an index out of bounds, as for `qd.types.ndarray`.
    
    Raises:
        ValueError: the range is not within the array.
    
    Example:
        >>> x = qd.ndarray(qd.i32, 8)
        >>> view = qd.BufferView(x, 2, 4)
        >>> @qd.kernel
        ... def fill(v: qd.BufferView[qd.i32]):
        ...     for i in range(v.shape[0]):
        ...         v[i] = 1
        >>> fill(view)
        >>> x.to_numpy()
        array([0, 0, 1, 1, 1, 1, 0, 0], dtype=int32)"""

    def __init__(self, arr: Any, offset: Any, size: Any) -> None: ...
    boundary: str
    element: Any

    def get_ndarray(self) -> Any:
        """Returns the viewed array."""
    shape: Any

    def subview(self, offset: int, size: int) -> BufferView:
        """Returns a view of a part of this view.
        
        Args:
            offset: the index of the first element in this view.
            size: the number of elements."""

    def __class_getitem__(cls, dtype: Any) -> Any: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __getattr__(self, name: str, /) -> Any: ...

def grouped(x: Any) -> Iterable[Vector]:
    """Iterates over indices as vectors, so that a kernel works for any number of axes.
    
    Args:
        x: a field, an array or `qd.ndrange(...)`.
    
    Returns:
        An iterable of integer vectors.
    
    Example:
        >>> x = qd.field(qd.i32, shape=(2, 3))
        >>> @qd.kernel
        ... def f():
        ...     for I in qd.grouped(x):
        ...         x[I] = I.sum()
        >>> f()
        >>> x.to_numpy()
        array([[0, 1, 2],
               [1, 2, 3]], dtype=int32)"""

class _Ranges:
    """A product of ranges."""
    axes: Any

    def __iter__(self) -> Iterator[Any]: ...

    def grouped(self) -> Iterable[Vector]: ...

def ndrange(*args: Any, axes: Any=None) -> _Ranges:
    """Returns the Cartesian product of ranges: `for i, j in qd.ndrange(4, (2, 6))`. At the top level of a kernel, all of it is one parallel
    loop.
    
    Args:
        *args: an extent, or (begin, end), for each index.
        axes: the order in which the indices vary, slowest first; None: the order of the arguments.
    
    Returns:
        An iterable of tuples of integers.
    
    Raises:
        QuadrantsTypeError: a bound is not an integer. QuadrantsSyntaxError: `axes` is not a permutation.
    
    Example:
        >>> list(qd.ndrange(2, (1, 3)))
        [(0, 1), (0, 2), (1, 1), (1, 2)]"""

@overload
def static(x: _T) -> _T:
    """Evaluates an expression at compile time. `for i in qd.static(range(3))` is unrolled; `if qd.static(flag)` compiles only one branch.
    
    Args:
        x: an expression of constants, or the iterable of a loop.
        *xs: further expressions; the result is then a tuple.
    
    Returns:
        The arguments themselves, in Python.
    
    Raises:
        QuadrantsSyntaxError, QuadrantsTypeError: the expression is not known at compile time.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     s = 0
        ...     for i in qd.static(range(3)):
        ...         s += i
        ...     return s
        >>> f()
        3"""

@overload
def static(x: Any, *xs: Any) -> tuple[Any, ...]:
    """Evaluates an expression at compile time. `for i in qd.static(range(3))` is unrolled; `if qd.static(flag)` compiles only one branch.
    
    Args:
        x: an expression of constants, or the iterable of a loop.
        *xs: further expressions; the result is then a tuple.
    
    Returns:
        The arguments themselves, in Python.
    
    Raises:
        QuadrantsSyntaxError, QuadrantsTypeError: the expression is not known at compile time.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     s = 0
        ...     for i in qd.static(range(3)):
        ...         s += i
        ...     return s
        >>> f()
        3"""

def static_assert(cond: Any, msg: str | None=None) -> None:
    """Stops the compilation with an error if `cond` is false; in Python, raises AssertionError.
    
    Args:
        cond: an expression of constants.
        msg: the text of the error.
    
    Raises:
        QuadrantsCompilationError: `cond` is false or is not known at compile time.
    
    Example:
        >>> @qd.kernel
        ... def f(x: qd.template()):
        ...     qd.static_assert(len(x.shape) == 1, "x has one axis")
        >>> f(qd.field(qd.f32, shape=4))"""

def static_print(*args: Any, **kwargs: Any) -> None:
    """Prints constants, types and shapes at compile time.
    
    Args:
        *args: arguments as for print().
        **kwargs: `sep` and `end`, as for print().
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f():
        ...     qd.static_print("n is", n)
        >>> n = 3
        >>> f()
        n is 3"""

def loop_config(*, block_dim: int | None=None, serialize: bool=False, parallelize: int | None=None, block_dim_adaptive: bool=True, bit_vectorize: bool=False, name: str | None=None, deterministic: Any=False) -> None:
    """Configures the next loop at the top level of the kernel, or of a func inlined there.
    
    Args:
        block_dim: iterations per chunk on the CPU, threads per block on a GPU; None: chosen automatically.
        serialize: if True, run the iterations in order on one thread.
        parallelize: maximum number of threads; None: all threads of the program.
        block_dim_adaptive: if False, `block_dim` also applies to short loops.
        bit_vectorize: in loops over quant arrays, whether to process several elements of a word at once.
        name: the name of the task in reports and profiles.
        deterministic: if True, results are bitwise identical in every run and with any number of threads; if False, follow `qd.init`.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs, not before a loop, or with an unknown argument.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     last = 0
        ...     qd.loop_config(serialize=True)
        ...     for i in range(4):
        ...         last = i
        ...     return last
        >>> f()
        3"""

def assume_in_range(val: _T, base: Any, low: Any, high: Any) -> _T:
    """Tells the compiler to assume `base + low <= val < base + high`. The behaviour is undefined if this is false.
    
    Args:
        val: an integer.
        base: an integer.
        low: a constant.
        high: a constant greater than `low`.
    
    Returns:
        `val`.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     i = 3
        ...     return qd.assume_in_range(i, 2, 0, 4)
        >>> f()
        3"""

@overload
def cast(obj: _M, dtype: type[Any]) -> _M:
    """Converts a value to another type, elementwise. Floats are truncated when converted to integers.
    
    Args:
        obj: a number, vector or matrix.
        dtype: a number type, or `int` or `float` for the default types.
    
    Returns:
        The converted value.
    
    Example:
        >>> qd.cast(2.7, qd.i32)
        2"""

@overload
def cast(obj: Any, dtype: type[_N]) -> _N:
    """Converts a value to another type, elementwise. Floats are truncated when converted to integers.
    
    Args:
        obj: a number, vector or matrix.
        dtype: a number type, or `int` or `float` for the default types.
    
    Returns:
        The converted value.
    
    Example:
        >>> qd.cast(2.7, qd.i32)
        2"""

def bit_cast(obj: Any, dtype: type[_T]) -> _T:
    """Reinterprets the bits of a number as another type of the same width. Only in kernels and funcs.
    
    Args:
        obj: a number.
        dtype: the type of the result.
    
    Returns:
        A number of that type.
    
    Raises:
        QuadrantsTypeError: the widths differ. QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f(x: qd.f32) -> qd.u32:
        ...     return qd.bit_cast(x, qd.u32)
        >>> hex(f(1.0))
        '0x3f800000'"""

def zero(x: _T) -> _T:
    """Returns 0 with the type and shape of x.
    
    Args:
        x: a number, vector or matrix.
    
    Returns:
        Zeros.
    
    Example:
        >>> qd.zero(qd.Vector([1.5, 2.5]))
        [0. 0.]"""

def one(x: _T) -> _T:
    """Returns 1 with the type and shape of x.
    
    Args:
        x: a number, vector or matrix.
    
    Returns:
        Ones.
    
    Example:
        >>> qd.one(5)
        1"""

def stop_grad(x: _T) -> _T:
    """Stops the propagation of derivatives through this field in the enclosing block.
    
    Args:
        x: a field.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.f32, shape=8, needs_grad=True)
        >>> @qd.kernel
        ... def f():
        ...     qd.stop_grad(x)
        ...     for i in x:
        ...         x[i] = 2.0 * i
        >>> f()"""

def volatile_load(target: _T) -> _T:
    """Reads an element from memory on every call, without optimisation; for flags that other threads set.
    
    Args:
        target: an element of a field or array.
    
    Returns:
        The value of the element.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs. QuadrantsTypeError: `target` is not an element of a field or array.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.volatile_load(x[None])
        >>> f()
        0"""

@overload
def random(dtype: type[_N]) -> _N:
    """Returns a uniformly distributed random number: floats in [0, 1), integers over their whole range. In kernels every thread has its own
    sequence, seeded by the option `random_seed`; with `deterministic=True` every chunk of a loop has its own.
    
    Args:
        dtype: a number type; `float` means `default_fp`.
    
    Returns:
        A number.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     return qd.random()
        >>> 0 <= f() < 1
        True"""

@overload
def random() -> float:
    """Returns a uniformly distributed random number: floats in [0, 1), integers over their whole range. In kernels every thread has its own
    sequence, seeded by the option `random_seed`; with `deterministic=True` every chunk of a loop has its own.
    
    Args:
        dtype: a number type; `float` means `default_fp`.
    
    Returns:
        A number.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     return qd.random()
        >>> 0 <= f() < 1
        True"""

def randn(dt: type[Any] | None=None) -> float:
    """Returns a normally distributed random number with mean 0 and variance 1.
    
    Args:
        dt: a floating-point type; None: `default_fp`.
    
    Returns:
        A number.
    
    Raises:
        QuadrantsTypeError: `dt` is an integer type.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     return qd.randn()
        >>> abs(f()) < 100
        True"""

@overload
def sin(x: _M) -> _M:
    """Returns the sine of an angle in radians.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.sin(0.5)
        0.479425538604203"""

@overload
def sin(x: float) -> float:
    """Returns the sine of an angle in radians.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.sin(0.5)
        0.479425538604203"""

@overload
def cos(x: _M) -> _M:
    """Returns the cosine of an angle in radians.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.cos(0.0)
        1.0"""

@overload
def cos(x: float) -> float:
    """Returns the cosine of an angle in radians.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.cos(0.0)
        1.0"""

@overload
def tan(x: _M) -> _M:
    """Returns the tangent of an angle in radians.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.tan(0.0)
        0.0"""

@overload
def tan(x: float) -> float:
    """Returns the tangent of an angle in radians.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.tan(0.0)
        0.0"""

@overload
def asin(x: _M) -> _M:
    """Returns the inverse sine in radians, from -pi/2 to pi/2; nan outside [-1, 1].
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.asin(1.0)
        1.5707963267948966"""

@overload
def asin(x: float) -> float:
    """Returns the inverse sine in radians, from -pi/2 to pi/2; nan outside [-1, 1].
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.asin(1.0)
        1.5707963267948966"""

@overload
def acos(x: _M) -> _M:
    """Returns the inverse cosine in radians, from 0 to pi; nan outside [-1, 1].
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.acos(1.0)
        0.0"""

@overload
def acos(x: float) -> float:
    """Returns the inverse cosine in radians, from 0 to pi; nan outside [-1, 1].
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.acos(1.0)
        0.0"""

@overload
def tanh(x: _M) -> _M:
    """Returns the hyperbolic tangent.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.tanh(0.0)
        0.0"""

@overload
def tanh(x: float) -> float:
    """Returns the hyperbolic tangent.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.tanh(0.0)
        0.0"""

@overload
def exp(x: _M) -> _M:
    """Returns the exponential e ** x.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.exp(0.0)
        1.0"""

@overload
def exp(x: float) -> float:
    """Returns the exponential e ** x.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.exp(0.0)
        1.0"""

@overload
def log(x: _M) -> _M:
    """Returns the natural logarithm; in kernels, -inf for 0 and nan for negative numbers.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.log(1.0)
        0.0"""

@overload
def log(x: float) -> float:
    """Returns the natural logarithm; in kernels, -inf for 0 and nan for negative numbers.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.log(1.0)
        0.0"""

@overload
def sqrt(x: _M) -> _M:
    """Returns the square root; in kernels, nan for negative numbers.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.sqrt(qd.Vector([4.0, 9.0]))
        [2. 3.]"""

@overload
def sqrt(x: float) -> float:
    """Returns the square root; in kernels, nan for negative numbers.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.sqrt(qd.Vector([4.0, 9.0]))
        [2. 3.]"""

@overload
def rsqrt(x: _M) -> _M:
    """Returns 1 / sqrt(x).
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.rsqrt(4.0)
        0.5"""

@overload
def rsqrt(x: float) -> float:
    """Returns 1 / sqrt(x).
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.rsqrt(4.0)
        0.5"""

def abs(x: _T) -> _T:
    """Returns the absolute value.
    
    Args:
        x: a number, vector or matrix.
    
    Returns:
        The result, elementwise, with the type and shape of the argument.
    
    Example:
        >>> qd.abs(qd.Vector([-1, 2]))
        [1 2]"""

@overload
def floor(x: _T, dtype: None=None) -> _T:
    """Returns the largest integer not greater than x.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
        dtype: the number type of the result; None: the type of x.
    
    Returns:
        The result with the type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.floor(2.7), qd.floor(2.7, int)
        (2.0, 2)"""

@overload
def floor(x: _M, dtype: type[Any] | None=None) -> _M:
    """Returns the largest integer not greater than x.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
        dtype: the number type of the result; None: the type of x.
    
    Returns:
        The result with the type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.floor(2.7), qd.floor(2.7, int)
        (2.0, 2)"""

@overload
def floor(x: float, dtype: type[_N]) -> _N:
    """Returns the largest integer not greater than x.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
        dtype: the number type of the result; None: the type of x.
    
    Returns:
        The result with the type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.floor(2.7), qd.floor(2.7, int)
        (2.0, 2)"""

@overload
def ceil(x: _T, dtype: None=None) -> _T:
    """Returns the smallest integer not less than x.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
        dtype: the number type of the result; None: the type of x.
    
    Returns:
        The result with the type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.ceil(2.2), qd.ceil(2.2, int)
        (3.0, 3)"""

@overload
def ceil(x: _M, dtype: type[Any] | None=None) -> _M:
    """Returns the smallest integer not less than x.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
        dtype: the number type of the result; None: the type of x.
    
    Returns:
        The result with the type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.ceil(2.2), qd.ceil(2.2, int)
        (3.0, 3)"""

@overload
def ceil(x: float, dtype: type[_N]) -> _N:
    """Returns the smallest integer not less than x.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
        dtype: the number type of the result; None: the type of x.
    
    Returns:
        The result with the type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.ceil(2.2), qd.ceil(2.2, int)
        (3.0, 3)"""

@overload
def round(x: _T, dtype: None=None) -> _T:
    """Rounds to the nearest integer; halves are rounded away from zero.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
        dtype: the number type of the result; None: the type of x.
    
    Returns:
        The result with the type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.round(2.5), qd.round(-2.5, int)
        (3.0, -3)"""

@overload
def round(x: _M, dtype: type[Any] | None=None) -> _M:
    """Rounds to the nearest integer; halves are rounded away from zero.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
        dtype: the number type of the result; None: the type of x.
    
    Returns:
        The result with the type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.round(2.5), qd.round(-2.5, int)
        (3.0, -3)"""

@overload
def round(x: float, dtype: type[_N]) -> _N:
    """Rounds to the nearest integer; halves are rounded away from zero.
    
    Args:
        x: a number, vector or matrix; integers are converted to `default_fp`.
        dtype: the number type of the result; None: the type of x.
    
    Returns:
        The result with the type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.round(2.5), qd.round(-2.5, int)
        (3.0, -3)"""

def activate(node: Any, indices: Any) -> None:
    """Activates a cell of a sparse SNode: it gets memory filled with zeros, and loops visit it.
    
    Args:
        node: an SNode of a sparse tree, such as `x.parent()`.
        indices: the indices of the cell, one integer per axis, as a list, tuple or vector.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> level = qd.root.pointer(qd.i, 4)
        >>> x = qd.field(qd.f32)
        >>> _ = level.place(x)
        >>> @qd.kernel
        ... def f():
        ...     qd.activate(level, [2])
        >>> f(); x.to_numpy()
        array([0., 0., 0., 0.], dtype=float32)"""

def deactivate(node: Any, indices: Any) -> None:
    """Deactivates a cell of a sparse SNode and the cells below it; they then read as zeros.
    
    Args:
        node: an SNode of a sparse tree, such as `x.parent()`.
        indices: the indices of the cell, one integer per axis, as a list, tuple or vector.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> level = qd.root.pointer(qd.i, 4)
        >>> x = qd.field(qd.f32)
        >>> _ = level.place(x)
        >>> @qd.kernel
        ... def f():
        ...     x[2] = 1.0
        ...     qd.deactivate(level, [2])
        >>> f(); x[2]
        0.0"""

def append(node: Any, indices: Any, val: Any) -> int:
    """Appends a value to a dynamic SNode.
    
    Args:
        node: a dynamic SNode.
        indices: the indices of the SNodes above it.
        val: a value of the type of the field; for an SNode with several fields, one value for each.
    
    Returns:
        The index of the new value, an i32.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32)
        >>> _ = qd.root.dynamic(qd.i, 8).place(x)
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     qd.append(x.parent(), [], 7)
        ...     return qd.length(x.parent(), [])
        >>> f()
        1"""

def length(node: Any, indices: Any) -> int:
    """Returns the number of values in a dynamic SNode.
    
    Args:
        node: a dynamic SNode.
        indices: the indices of the SNodes above it.
    
    Returns:
        An i32.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32)
        >>> _ = qd.root.dynamic(qd.i, 8).place(x)
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     x.append(3)
        ...     x.append(4)
        ...     return qd.length(x.parent(), [])
        >>> f()
        2"""

def clock_freq_hz() -> float:
    """Returns the frequency of the counter that `qd.clock_counter()` reads in kernels.
    
    Returns:
        The frequency in Hz.
    
    Example:
        >>> qd.clock_freq_hz() > 0
        True"""

def clock_counter() -> int:
    """Returns a monotonic counter of the processor, with `qd.clock_freq_hz()` ticks per second.
    
    Returns:
        An i64.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     before = qd.clock_counter()
        ...     return qd.clock_counter() >= before
        >>> f()
        1"""

def global_thread_idx() -> int:
    """Returns the number of the thread that executes the current iteration.
    
    Returns:
        An i32, starting at 0.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.global_thread_idx() >= 0
        >>> f()
        1"""

def svd(A: Matrix, dt: type[Any] | None=None) -> tuple[Matrix, Matrix, Matrix]:
    """Computes the singular value decomposition A = U S V^T with orthogonal U and V.
    
    Args:
        A: a 2x2 or 3x3 matrix.
        dt: f32 or f64; None: `default_fp`.
    
    Returns:
        The matrices (U, S, V); S is diagonal, with the singular values in descending order.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs. QuadrantsTypeError: A is not 2x2 or 3x3.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.types.vector(2, qd.f32):
        ...     U, S, V = qd.svd(qd.Matrix([[0.0, 2.0], [1.0, 0.0]]))
        ...     return qd.Vector([S[0, 0], S[1, 1]])
        >>> f()
        [2. 1.]"""

def sym_eig(A: Matrix, dt: type[Any] | None=None) -> tuple[Vector, Matrix]:
    """Computes the eigenvalues and eigenvectors of a symmetric matrix.
    
    Args:
        A: a symmetric matrix with 2 to 6 rows.
        dt: f32 or f64; None: `default_fp`.
    
    Returns:
        The pair (vector of the eigenvalues in ascending order, matrix with the eigenvectors as columns).
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs. QuadrantsTypeError: the size is not supported.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.types.vector(2, qd.f32):
        ...     values, vectors = qd.sym_eig(qd.Matrix([[2.0, 0.0], [0.0, 1.0]]))
        ...     return values
        >>> f()
        [1. 2.]"""

def eig(A: Matrix, dt: type[Any] | None=None) -> tuple[Matrix, Matrix]:
    """Computes the complex eigenvalues and eigenvectors of a 2x2 matrix.
    
    Args:
        A: a 2x2 matrix.
        dt: f32 or f64; None: `default_fp`.
    
    Returns:
        The pair (2x2 matrix with one eigenvalue (real, imaginary) per row, 4x2 matrix with the eigenvectors as columns of pairs).
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     values, vectors = qd.eig(qd.Matrix([[0.0, -1.0], [1.0, 0.0]]))
        ...     return qd.abs(values[0, 1])
        >>> f()
        1.0"""

def polar_decompose(A: Matrix, dt: type[Any] | None=None) -> tuple[Matrix, Matrix]:
    """Computes the polar decomposition A = U P with an orthogonal U and a symmetric P.
    
    Args:
        A: a 2x2 or 3x3 matrix.
        dt: f32 or f64; None: `default_fp`.
    
    Returns:
        The matrices (U, P).
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs. QuadrantsTypeError: A is not 2x2 or 3x3.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     U, P = qd.polar_decompose(qd.Matrix([[0.0, -2.0], [2.0, 0.0]]))
        ...     return P[0, 0]
        >>> f()
        2.0"""

def make_spd(A: Matrix, dt: type[Any] | None=None) -> Matrix:
    """Returns the nearest positive semidefinite matrix, by setting negative eigenvalues to 0.
    
    Args:
        A: a symmetric matrix with 2 to 6 rows.
        dt: f32 or f64; None: `default_fp`.
    
    Returns:
        A matrix with the shape of A.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     return qd.make_spd(qd.Matrix([[-1.0, 0.0], [0.0, 3.0]])).trace()
        >>> f()
        3.0"""

def solve(A: Matrix, b: Vector, dt: type[Any] | None=None) -> Vector:
    """Solves A x = b for small systems.
    
    Args:
        A: a 2x2 or 3x3 matrix.
        b: a vector with as many components as A has rows.
        dt: f32 or f64; None: `default_fp`.
    
    Returns:
        The vector x.
    
    Raises:
        QuadrantsTypeError: the size is not supported. QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.math.vec2:
        ...     return qd.solve(qd.Matrix([[2.0, 0.0], [0.0, 4.0]]), qd.Vector([2.0, 2.0]))
        >>> f()
        [1.  0.5]"""
_Swizzle: TypeAlias = Literal['xx', 'xy', 'xz', 'xw', 'yx', 'yy', 'yz', 'yw', 'zx', 'zy', 'zz', 'zw', 'wx', 'wy', 'wz', 'ww', 'xxx', 'xxy', 'xxz', 'xxw', 'xyx', 'xyy', 'xyz', 'xyw', 'xzx', 'xzy', 'xzz', 'xzw', 'xwx', 'xwy', 'xwz', 'xww', 'yxx', 'yxy', 'yxz', 'yxw', 'yyx', 'yyy', 'yyz', 'yyw', 'yzx', 'yzy', 'yzz', 'yzw', 'ywx', 'ywy', 'ywz', 'yww', 'zxx', 'zxy', 'zxz', 'zxw', 'zyx', 'zyy', 'zyz', 'zyw', 'zzx', 'zzy', 'zzz', 'zzw', 'zwx', 'zwy', 'zwz', 'zww', 'wxx', 'wxy', 'wxz', 'wxw', 'wyx', 'wyy', 'wyz', 'wyw', 'wzx', 'wzy', 'wzz', 'wzw', 'wwx', 'wwy', 'wwz', 'www', 'xxxx', 'xxxy', 'xxxz', 'xxxw', 'xxyx', 'xxyy', 'xxyz', 'xxyw', 'xxzx', 'xxzy', 'xxzz', 'xxzw', 'xxwx', 'xxwy', 'xxwz', 'xxww', 'xyxx', 'xyxy', 'xyxz', 'xyxw', 'xyyx', 'xyyy', 'xyyz', 'xyyw', 'xyzx', 'xyzy', 'xyzz', 'xyzw', 'xywx', 'xywy', 'xywz', 'xyww', 'xzxx', 'xzxy', 'xzxz', 'xzxw', 'xzyx', 'xzyy', 'xzyz', 'xzyw', 'xzzx', 'xzzy', 'xzzz', 'xzzw', 'xzwx', 'xzwy', 'xzwz', 'xzww', 'xwxx', 'xwxy', 'xwxz', 'xwxw', 'xwyx', 'xwyy', 'xwyz', 'xwyw', 'xwzx', 'xwzy', 'xwzz', 'xwzw', 'xwwx', 'xwwy', 'xwwz', 'xwww', 'yxxx', 'yxxy', 'yxxz', 'yxxw', 'yxyx', 'yxyy', 'yxyz', 'yxyw', 'yxzx', 'yxzy', 'yxzz', 'yxzw', 'yxwx', 'yxwy', 'yxwz', 'yxww', 'yyxx', 'yyxy', 'yyxz', 'yyxw', 'yyyx', 'yyyy', 'yyyz', 'yyyw', 'yyzx', 'yyzy', 'yyzz', 'yyzw', 'yywx', 'yywy', 'yywz', 'yyww', 'yzxx', 'yzxy', 'yzxz', 'yzxw', 'yzyx', 'yzyy', 'yzyz', 'yzyw', 'yzzx', 'yzzy', 'yzzz', 'yzzw', 'yzwx', 'yzwy', 'yzwz', 'yzww', 'ywxx', 'ywxy', 'ywxz', 'ywxw', 'ywyx', 'ywyy', 'ywyz', 'ywyw', 'ywzx', 'ywzy', 'ywzz', 'ywzw', 'ywwx', 'ywwy', 'ywwz', 'ywww', 'zxxx', 'zxxy', 'zxxz', 'zxxw', 'zxyx', 'zxyy', 'zxyz', 'zxyw', 'zxzx', 'zxzy', 'zxzz', 'zxzw', 'zxwx', 'zxwy', 'zxwz', 'zxww', 'zyxx', 'zyxy', 'zyxz', 'zyxw', 'zyyx', 'zyyy', 'zyyz', 'zyyw', 'zyzx', 'zyzy', 'zyzz', 'zyzw', 'zywx', 'zywy', 'zywz', 'zyww', 'zzxx', 'zzxy', 'zzxz', 'zzxw', 'zzyx', 'zzyy', 'zzyz', 'zzyw', 'zzzx', 'zzzy', 'zzzz', 'zzzw', 'zzwx', 'zzwy', 'zzwz', 'zzww', 'zwxx', 'zwxy', 'zwxz', 'zwxw', 'zwyx', 'zwyy', 'zwyz', 'zwyw', 'zwzx', 'zwzy', 'zwzz', 'zwzw', 'zwwx', 'zwwy', 'zwwz', 'zwww', 'wxxx', 'wxxy', 'wxxz', 'wxxw', 'wxyx', 'wxyy', 'wxyz', 'wxyw', 'wxzx', 'wxzy', 'wxzz', 'wxzw', 'wxwx', 'wxwy', 'wxwz', 'wxww', 'wyxx', 'wyxy', 'wyxz', 'wyxw', 'wyyx', 'wyyy', 'wyyz', 'wyyw', 'wyzx', 'wyzy', 'wyzz', 'wyzw', 'wywx', 'wywy', 'wywz', 'wyww', 'wzxx', 'wzxy', 'wzxz', 'wzxw', 'wzyx', 'wzyy', 'wzyz', 'wzyw', 'wzzx', 'wzzy', 'wzzz', 'wzzw', 'wzwx', 'wzwy', 'wzwz', 'wzww', 'wwxx', 'wwxy', 'wwxz', 'wwxw', 'wwyx', 'wwyy', 'wwyz', 'wwyw', 'wwzx', 'wwzy', 'wwzz', 'wwzw', 'wwwx', 'wwwy', 'wwwz', 'wwww', 'rr', 'rg', 'rb', 'ra', 'gr', 'gg', 'gb', 'ga', 'br', 'bg', 'bb', 'ba', 'ar', 'ag', 'ab', 'aa', 'rrr', 'rrg', 'rrb', 'rra', 'rgr', 'rgg', 'rgb', 'rga', 'rbr', 'rbg', 'rbb', 'rba', 'rar', 'rag', 'rab', 'raa', 'grr', 'grg', 'grb', 'gra', 'ggr', 'ggg', 'ggb', 'gga', 'gbr', 'gbg', 'gbb', 'gba', 'gar', 'gag', 'gab', 'gaa', 'brr', 'brg', 'brb', 'bra', 'bgr', 'bgg', 'bgb', 'bga', 'bbr', 'bbg', 'bbb', 'bba', 'bar', 'bag', 'bab', 'baa', 'arr', 'arg', 'arb', 'ara', 'agr', 'agg', 'agb', 'aga', 'abr', 'abg', 'abb', 'aba', 'aar', 'aag', 'aab', 'aaa', 'rrrr', 'rrrg', 'rrrb', 'rrra', 'rrgr', 'rrgg', 'rrgb', 'rrga', 'rrbr', 'rrbg', 'rrbb', 'rrba', 'rrar', 'rrag', 'rrab', 'rraa', 'rgrr', 'rgrg', 'rgrb', 'rgra', 'rggr', 'rggg', 'rggb', 'rgga', 'rgbr', 'rgbg', 'rgbb', 'rgba', 'rgar', 'rgag', 'rgab', 'rgaa', 'rbrr', 'rbrg', 'rbrb', 'rbra', 'rbgr', 'rbgg', 'rbgb', 'rbga', 'rbbr', 'rbbg', 'rbbb', 'rbba', 'rbar', 'rbag', 'rbab', 'rbaa', 'rarr', 'rarg', 'rarb', 'rara', 'ragr', 'ragg', 'ragb', 'raga', 'rabr', 'rabg', 'rabb', 'raba', 'raar', 'raag', 'raab', 'raaa', 'grrr', 'grrg', 'grrb', 'grra', 'grgr', 'grgg', 'grgb', 'grga', 'grbr', 'grbg', 'grbb', 'grba', 'grar', 'grag', 'grab', 'graa', 'ggrr', 'ggrg', 'ggrb', 'ggra', 'gggr', 'gggg', 'gggb', 'ggga', 'ggbr', 'ggbg', 'ggbb', 'ggba', 'ggar', 'ggag', 'ggab', 'ggaa', 'gbrr', 'gbrg', 'gbrb', 'gbra', 'gbgr', 'gbgg', 'gbgb', 'gbga', 'gbbr', 'gbbg', 'gbbb', 'gbba', 'gbar', 'gbag', 'gbab', 'gbaa', 'garr', 'garg', 'garb', 'gara', 'gagr', 'gagg', 'gagb', 'gaga', 'gabr', 'gabg', 'gabb', 'gaba', 'gaar', 'gaag', 'gaab', 'gaaa', 'brrr', 'brrg', 'brrb', 'brra', 'brgr', 'brgg', 'brgb', 'brga', 'brbr', 'brbg', 'brbb', 'brba', 'brar', 'brag', 'brab', 'braa', 'bgrr', 'bgrg', 'bgrb', 'bgra', 'bggr', 'bggg', 'bggb', 'bgga', 'bgbr', 'bgbg', 'bgbb', 'bgba', 'bgar', 'bgag', 'bgab', 'bgaa', 'bbrr', 'bbrg', 'bbrb', 'bbra', 'bbgr', 'bbgg', 'bbgb', 'bbga', 'bbbr', 'bbbg', 'bbbb', 'bbba', 'bbar', 'bbag', 'bbab', 'bbaa', 'barr', 'barg', 'barb', 'bara', 'bagr', 'bagg', 'bagb', 'baga', 'babr', 'babg', 'babb', 'baba', 'baar', 'baag', 'baab', 'baaa', 'arrr', 'arrg', 'arrb', 'arra', 'argr', 'argg', 'argb', 'arga', 'arbr', 'arbg', 'arbb', 'arba', 'arar', 'arag', 'arab', 'araa', 'agrr', 'agrg', 'agrb', 'agra', 'aggr', 'aggg', 'aggb', 'agga', 'agbr', 'agbg', 'agbb', 'agba', 'agar', 'agag', 'agab', 'agaa', 'abrr', 'abrg', 'abrb', 'abra', 'abgr', 'abgg', 'abgb', 'abga', 'abbr', 'abbg', 'abbb', 'abba', 'abar', 'abag', 'abab', 'abaa', 'aarr', 'aarg', 'aarb', 'aara', 'aagr', 'aagg', 'aagb', 'aaga', 'aabr', 'aabg', 'aabb', 'aaba', 'aaar', 'aaag', 'aaab', 'aaaa', 'ss', 'st', 'sp', 'sq', 'ts', 'tt', 'tp', 'tq', 'ps', 'pt', 'pp', 'pq', 'qs', 'qt', 'qp', 'qq', 'sss', 'sst', 'ssp', 'ssq', 'sts', 'stt', 'stp', 'stq', 'sps', 'spt', 'spp', 'spq', 'sqs', 'sqt', 'sqp', 'sqq', 'tss', 'tst', 'tsp', 'tsq', 'tts', 'ttt', 'ttp', 'ttq', 'tps', 'tpt', 'tpp', 'tpq', 'tqs', 'tqt', 'tqp', 'tqq', 'pss', 'pst', 'psp', 'psq', 'pts', 'ptt', 'ptp', 'ptq', 'pps', 'ppt', 'ppp', 'ppq', 'pqs', 'pqt', 'pqp', 'pqq', 'qss', 'qst', 'qsp', 'qsq', 'qts', 'qtt', 'qtp', 'qtq', 'qps', 'qpt', 'qpp', 'qpq', 'qqs', 'qqt', 'qqp', 'qqq', 'ssss', 'ssst', 'sssp', 'sssq', 'ssts', 'sstt', 'sstp', 'sstq', 'ssps', 'sspt', 'sspp', 'sspq', 'ssqs', 'ssqt', 'ssqp', 'ssqq', 'stss', 'stst', 'stsp', 'stsq', 'stts', 'sttt', 'sttp', 'sttq', 'stps', 'stpt', 'stpp', 'stpq', 'stqs', 'stqt', 'stqp', 'stqq', 'spss', 'spst', 'spsp', 'spsq', 'spts', 'sptt', 'sptp', 'sptq', 'spps', 'sppt', 'sppp', 'sppq', 'spqs', 'spqt', 'spqp', 'spqq', 'sqss', 'sqst', 'sqsp', 'sqsq', 'sqts', 'sqtt', 'sqtp', 'sqtq', 'sqps', 'sqpt', 'sqpp', 'sqpq', 'sqqs', 'sqqt', 'sqqp', 'sqqq', 'tsss', 'tsst', 'tssp', 'tssq', 'tsts', 'tstt', 'tstp', 'tstq', 'tsps', 'tspt', 'tspp', 'tspq', 'tsqs', 'tsqt', 'tsqp', 'tsqq', 'ttss', 'ttst', 'ttsp', 'ttsq', 'ttts', 'tttt', 'tttp', 'tttq', 'ttps', 'ttpt', 'ttpp', 'ttpq', 'ttqs', 'ttqt', 'ttqp', 'ttqq', 'tpss', 'tpst', 'tpsp', 'tpsq', 'tpts', 'tptt', 'tptp', 'tptq', 'tpps', 'tppt', 'tppp', 'tppq', 'tpqs', 'tpqt', 'tpqp', 'tpqq', 'tqss', 'tqst', 'tqsp', 'tqsq', 'tqts', 'tqtt', 'tqtp', 'tqtq', 'tqps', 'tqpt', 'tqpp', 'tqpq', 'tqqs', 'tqqt', 'tqqp', 'tqqq', 'psss', 'psst', 'pssp', 'pssq', 'psts', 'pstt', 'pstp', 'pstq', 'psps', 'pspt', 'pspp', 'pspq', 'psqs', 'psqt', 'psqp', 'psqq', 'ptss', 'ptst', 'ptsp', 'ptsq', 'ptts', 'pttt', 'pttp', 'pttq', 'ptps', 'ptpt', 'ptpp', 'ptpq', 'ptqs', 'ptqt', 'ptqp', 'ptqq', 'ppss', 'ppst', 'ppsp', 'ppsq', 'ppts', 'pptt', 'pptp', 'pptq', 'ppps', 'pppt', 'pppp', 'pppq', 'ppqs', 'ppqt', 'ppqp', 'ppqq', 'pqss', 'pqst', 'pqsp', 'pqsq', 'pqts', 'pqtt', 'pqtp', 'pqtq', 'pqps', 'pqpt', 'pqpp', 'pqpq', 'pqqs', 'pqqt', 'pqqp', 'pqqq', 'qsss', 'qsst', 'qssp', 'qssq', 'qsts', 'qstt', 'qstp', 'qstq', 'qsps', 'qspt', 'qspp', 'qspq', 'qsqs', 'qsqt', 'qsqp', 'qsqq', 'qtss', 'qtst', 'qtsp', 'qtsq', 'qtts', 'qttt', 'qttp', 'qttq', 'qtps', 'qtpt', 'qtpp', 'qtpq', 'qtqs', 'qtqt', 'qtqp', 'qtqq', 'qpss', 'qpst', 'qpsp', 'qpsq', 'qpts', 'qptt', 'qptp', 'qptq', 'qpps', 'qppt', 'qppp', 'qppq', 'qpqs', 'qpqt', 'qpqp', 'qpqq', 'qqss', 'qqst', 'qqsp', 'qqsq', 'qqts', 'qqtt', 'qqtp', 'qqtq', 'qqps', 'qqpt', 'qqpp', 'qqpq', 'qqqs', 'qqqt', 'qqqp', 'qqqq']

class _Config:
    """The live options."""
    arch: Any
    default_ip: type[Any]
    'default type of integers: i32 or i64; 32 or 64 in the environment'
    default_fp: type[Any]
    'default type of real numbers: f16, f32 or f64; 32 or 64 in the environment'
    fast_math: bool
    'real arithmetic may be reordered and fused, and subnormal numbers may be flushed to zero; off: exactly as in IEEE 754, with the same results on every processor'
    raise_on_templated_floats: bool
    'refuse floats as compile-time values of a kernel'
    deterministic: bool
    'sums of real numbers and qd.random are bitwise identical in every run and with any number of threads'
    opt_level: int
    '0: fast compilation of slow code; all values from 1 on are equivalent'
    cfg_optimization: bool
    'stored values are not loaded again; off: memory is read and written exactly as the kernel says'
    advanced_optimization: bool
    'algebraic simplification, such as x * 1 = x; off: only constants are evaluated'
    cache_loop_invariant_global_vars: bool
    'an element that a loop reads and writes stays in a register while the loop runs'
    make_thread_local: bool
    'each thread accumulates its own partial sum for a shared element; off: one atomic addition per iteration'
    flatten_if: bool
    'branches become selections if both sides can be computed; off: only small ones do'
    debug: bool
    'check indices, overflow, division and assertions while kernels run, and the IR after every pass, which takes up to a tenth of the time that large kernels take to compile'
    check_out_of_bound: bool
    'check indices; `debug` implies it'
    cpu_max_num_threads: int
    'number of threads that run loops; 0: one for each core that the process may use'
    make_cpu_multithreading_loop: bool
    'run parallel loops on several threads; off: in order, on one'
    default_cpu_block_dim: int
    'iterations per chunk of a thread, or a multiple of it if iterations are short; 32: chosen by the length of the loop'
    cpu_block_dim_adaptive: bool
    'off: `default_cpu_block_dim` applies even if it is 32'
    num_compile_threads: int
    'maximum number of threads that compile the tasks of one kernel'
    compile_tiers: bool
    'start with quickly compiled code, and switch to optimised code once that is compiled'
    random_seed: int
    'seed of qd.random'
    offline_cache: bool
    'keep compiled code on disk'
    offline_cache_file_path: str
    'the folder; empty: qdcache below $XDG_CACHE_HOME/quadrants or ~/.cache/quadrants'
    offline_cache_max_size_of_files: int
    'size of the cache, in bytes, above which kernels are removed'
    offline_cache_cleaning_policy: str
    'which kernels are removed first: lru, fifo or version; never, and any other value, removes none'
    offline_cache_cleaning_factor: float
    'fraction of the kernels that is removed when the cache exceeds that size'
    kernel_profiler: bool
    'measure every task: qd.profiler'
    timeline: bool
    'record a timeline of compilations and launches for Perfetto: timeline_save of quadrants.lang.misc'
    print_ir: bool
    'print the IR after every pass'
    print_ir_dbg_info: bool
    'show source locations, `@line:column`, in printed or dumped IR'
    print_preprocessed_ir: bool
    'print the IR that the frontend produces for each kernel'
    print_kernel_llvm_ir: bool
    'print the LLVM IR of each kernel before LLVM optimises it'
    print_kernel_llvm_ir_optimized: bool
    'print the LLVM IR of each kernel after LLVM has optimised it'
    print_kernel_asm: bool
    'print the machine code of each kernel'
    debug_dump_path: str
    'folder used by QD_DUMP_IR and QD_LOAD_IR'
    move_loop_invariant_outside_if: bool
    'hoisting out of branches: code that cannot fail is always hoisted'
    demote_dense_struct_fors: bool
    'loops over dense fields become loops over numbers: they always do'
    make_block_local: bool
    'parts of fields in block-local memory, which CPUs do not have'
    detect_read_only: bool
    'loads of read-only data through a separate cache, which CPUs do not have'
    real_matrix_scalarize: bool
    'when matrices become scalars: the frontend always converts them'
    force_scalarize_matrix: bool
    'when matrices become scalars: the frontend always converts them'
    half2_vectorization: bool
    'atomics on pairs of f16 on CUDA'
    simplify_before_lower_access: bool
    'passes around the lowering of accesses; the reference does not use it either'
    lower_access: bool
    'the lowering of accesses; the reference does not use it either'
    simplify_after_lower_access: bool
    'passes around the lowering of accesses; the reference does not use it either'
    use_llvm: bool
    'the code generator; the reference does not use it either'
    verbose: bool
    'output of passes over accessors: there are no accessors, see `print_accessor_ir`'
    verbose_kernel_launches: bool
    'output for each launch; the reference does not use it either. `timeline` shows launches'
    print_accessor_ir: bool
    'IR of kernels that access single elements: the host does that without kernels'
    print_struct_llvm_ir: bool
    'LLVM IR of trees: they have no code of their own'
    print_kernel_amdgcn: bool
    'machine code of AMD GPUs'
    default_gpu_block_dim: int
    'threads per block of a GPU'
    max_block_dim: int
    'maximum number of threads per block; 0: the limit of the device'
    saturating_grid_dim: int
    'number of blocks that fill the device; 0: the value of the device'
    gpu_max_reg: int
    'registers per thread of a GPU'
    device_memory_GB: float
    'GiB of GPU memory to reserve'
    device_memory_fraction: float
    'the same as a fraction of the GPU memory; takes precedence if greater than 0'
    cuda_stack_limit: int
    'stack size of a thread, in bytes'
    external_metal_command_queue: int
    'the Metal command queue to use, as a pointer; 0: a new one. An error if kernels do not run on Metal'
    external_metal_command_queue_is_torch_queue: bool
    'the queue belongs to torch; no effect without a queue'
    vk_api_version: str
    'version of Vulkan'
    ad_stack_experimental_enabled: bool
    'stacks for reverse mode, which nested loops need'
    ad_stack_size: int
    'number of entries of each such stack, one more than the loop has iterations; 0: as many as needed'
    ad_stack_budget_bytes: int
    'limit, in bytes, of the stacks of one iteration of a parallel loop: values that do not fit are recomputed; 0: no limit'
    ad_stack_sparse_threshold_bytes: int
    'size from which a GPU captures a stack conditionally; on a CPU stacks grow as they are used'
    quant_opt_store_fusion: bool
    'one store for several members of a bit structure: each is stored separately, and thread-safe'
    quant_opt_atomic_demotion: bool
    'atomics of bit structures become plain stores if one thread writes: they stay atomic'
    make_mesh_block_local: bool
    'attributes of meshes in block-local memory, which CPUs do not have'
    optimize_mesh_reordered_mapping: bool
    'reordered numbers of mesh elements in block-local memory'
    mesh_localize_to_end_mapping: bool
    'numbers of mesh elements in block-local memory'
    mesh_localize_from_end_mapping: bool
    'numbers of mesh elements in block-local memory'
    mesh_localize_all_attr_mappings: bool
    'numbers of mesh elements in block-local memory'
    demote_no_access_mesh_fors: bool
    'loops over meshes without attribute accesses become loops over numbers: all of them are'
    experimental_auto_mesh_local: bool
    'choose what to keep in block-local memory'
    auto_mesh_local_default_occupacy: int
    'number of blocks that share that memory'

    @property
    def default_up(self) -> type[Any]: ...

class _Arch(enum.IntEnum):
    x64 = 0
    arm64 = 1
    js = 2
    python = 3
    cuda = 4
    metal = 5
    opencl = 6
    amdgpu = 7
    vulkan = 8
    interp = 9
    far = 10
    null = 11

class Backend(enum.IntEnum):
    """The storage of a tensor: a field or an ndarray.
    
    Example:
        >>> qd.Backend.FIELD.name
        'FIELD'"""
    FIELD = 0
    NDARRAY = 1
CRITICAL: str
DEBUG: str

class DeviceCapability(enum.IntEnum):
    reserved = 0
    spirv_version = 1
    spirv_has_int8 = 2
    spirv_has_int16 = 3
    spirv_has_int64 = 4
    spirv_has_float16 = 5
    spirv_has_float64 = 6
    spirv_has_storage_buffer_8bit_access = 7
    spirv_has_storage_buffer_16bit_access = 8
    spirv_has_atomic_int64 = 9
    spirv_has_atomic_float16 = 10
    spirv_has_atomic_float16_add = 11
    spirv_has_atomic_float16_minmax = 12
    spirv_has_atomic_float = 13
    spirv_has_atomic_float_add = 14
    spirv_has_atomic_float_minmax = 15
    spirv_has_atomic_float64 = 16
    spirv_has_atomic_float64_add = 17
    spirv_has_atomic_float64_minmax = 18
    spirv_has_shared_atomic_float_add = 19
    spirv_has_shared_atomic_float64_add = 20
    spirv_has_shared_atomic_float16_add = 21
    spirv_has_variable_ptr = 22
    spirv_has_physical_storage_buffer = 23
    spirv_has_subgroup_basic = 24
    spirv_has_subgroup_vote = 25
    spirv_has_subgroup_arithmetic = 26
    spirv_has_subgroup_ballot = 27
    spirv_subgroup_size = 28
    spirv_has_non_semantic_info = 29
    spirv_has_no_integer_wrap_decoration = 30
    spirv_has_shader_clock = 31
ERROR: str

class Format(enum.IntEnum):
    unknown = 0
    r8 = 1
    rg8 = 2
    rgba8 = 3
    rgba8srgb = 4
    bgra8 = 5
    bgra8srgb = 6
    r8u = 7
    rg8u = 8
    rgba8u = 9
    r8i = 10
    rg8i = 11
    rgba8i = 12
    r16 = 13
    rg16 = 14
    rgb16 = 15
    rgba16 = 16
    r16u = 17
    rg16u = 18
    rgb16u = 19
    rgba16u = 20
    r16i = 21
    rg16i = 22
    rgb16i = 23
    rgba16i = 24
    r16f = 25
    rg16f = 26
    rgb16f = 27
    rgba16f = 28
    r32u = 29
    rg32u = 30
    rgb32u = 31
    rgba32u = 32
    r32i = 33
    rg32i = 34
    rgb32i = 35
    rgba32i = 36
    r32f = 37
    rg32f = 38
    rgb32f = 39
    rgba32f = 40
    depth16 = 41
    depth24stencil8 = 42
    depth32f = 43

class GUI:
    """A window with a canvas that is redrawn for each frame.
    
    Positions range from (0, 0), lower left, to (1, 1); colours are 0xRRGGBB; radii and widths are in pixels. Calls add to a frame, and
    `show` passes the frame to the process that displays the window.
    
    Args:
        name: the title.
        res: size in pixels, (width, height) or one number for both.
        background_color: the colour that a frame starts with.
        show_gui: if False, do not open a window; use `get_image` and `show(file)` for pictures.
        fullscreen: whether to cover the whole screen.
        fast_gui: if True, a picture stays on the canvas in every frame until another is set.
    
    Attributes:
        running: False after the window has been closed; set it to False to end a loop.
        fps_limit: maximum number of frames per second, enforced by `show`; 60 by default.
        SHIFT, ALT, CTRL, ESCAPE, RETURN, TAB, BACKSPACE, SPACE, UP, DOWN, LEFT, RIGHT, CAPSLOCK, LMB, MMB, RMB: names of keys and mouse
            buttons.
        EXIT, WHEEL, MOVE: keys of events: closing the window, turning the wheel, moving the pointer.
        PRESS, RELEASE, MOTION: types of events.
        Event: class of the object that `get_event` stores in `event`.
        WidgetValue: class of the objects that `slider` and `label` return.
    
    Example:
        >>> gui = qd.GUI("a disc", res=(64, 64), show_gui=False)
        >>> gui.circle((0.5, 0.5), color=0xFF0000, radius=10)
        >>> gui.get_image()[32, 32].tolist()
        [1.0, 0.0, 0.0, 1.0]
        >>> gui.close()"""

    def __init__(self, name: Any='Taichi', res: Any=512, background_color: Any=0, show_gui: Any=True, fullscreen: Any=False, fast_gui: Any=False) -> None: ...
    ALT: str
    BACKSPACE: str
    CAPSLOCK: str
    CTRL: str
    DOWN: str
    ESCAPE: str
    EXIT: str
    Event: Any
    LEFT: str
    LMB: str
    MMB: str
    MOTION: str
    MOVE: str
    PRESS: str
    RELEASE: str
    RETURN: str
    RIGHT: str
    RMB: str
    SHIFT: str
    SPACE: str
    TAB: str
    UP: str
    WHEEL: str
    WidgetValue: Any

    def arrow(self, orig: Any, direction: Any, radius: Any=1, color: Any=16777215, **kwargs: Any) -> Any:
        """Draws an arrow.
        
        Args:
            orig: the start point.
            direction: the vector from the start point to the tip.
            radius: the radius of the lines, in pixels.
            color: 0xRRGGBB.
            **kwargs: `tip_scale` (default 0.2 of the length) and `angle` (default 45 degrees) of the tip."""

    def arrow_field(self, direction: Any, radius: Any=1, color: Any=16777215, bound: Any=0.5, **kwargs: Any) -> Any:
        """Draws a grid of arrows.
        
        Args:
            direction: the vectors, with shape (w, h, 2).
            radius: the radius of the lines, in pixels.
            color: 0xRRGGBB, one colour or one per arrow.
            bound: distance of the outermost arrows from the border, in cells.
            **kwargs: as for `arrow`."""

    def arrows(self, orig: Any, direction: Any, radius: Any=1, color: Any=16777215, *, tip_scale: Any=0.2, angle: Any=45) -> Any:
        """Draws arrows.
        
        Args:
            orig: the start points, with shape (n, 2).
            direction: the vectors from the start points to the tips.
            radius: the radius of the lines, in pixels.
            color: 0xRRGGBB, one colour or one per arrow.
            tip_scale: length of the lines of the tip relative to the arrow.
            angle: angle between these lines and the arrow, in degrees."""

    def button(self, text: Any, event_name: Any=None) -> Any:
        """Adds a button.
        
        Args:
            text: the caption.
            event_name: the key of the button's events; None: `WidgetButton_` followed by the text.
        
        Returns:
            The key of the events."""

    def circle(self, pos: Any, color: Any=16777215, radius: Any=1) -> Any:
        """Draws a disc.
        
        Args:
            pos: the centre.
            color: 0xRRGGBB.
            radius: the radius in pixels, at which the disc has faded out."""

    def circles(self, pos: Any, radius: Any=1, color: Any=16777215, palette: Any=None, palette_indices: Any=None) -> Any:
        """Draws discs.
        
        Args:
            pos: the centres, with shape (n, 2).
            radius: the radius in pixels, at which the disc has faded out; one number or one per disc.
            color: 0xRRGGBB, one colour or one per disc.
            palette: colours that `palette_indices` select from.
            palette_indices: for each disc, the index of its colour in `palette`."""

    def clear(self, color: Any=None) -> Any:
        """Clears the canvas.
        
        Args:
            color: the fill colour 0xRRGGBB; None: the background colour."""

    def close(self) -> Any:
        """Closes the window."""

    def contour(self, scalar_field: Any, normalize: Any=False) -> Any:
        """Fills the canvas with the colour-mapped values of a field.
        
        Args:
            scalar_field: a field of numbers with two axes.
            normalize: if True, map the range from the minimum to the maximum, instead of from 0 to 1."""
    fps_limit: Any

    def get_cursor_pos(self) -> Any:
        """Returns the position of the pointer, from (0, 0), lower left, to (1, 1)."""

    def get_event(self, *e_filter: Any) -> Any:
        """Returns whether there is a pending event; if so, it is stored in `event`.
        
        Args:
            *e_filter: as for `get_events`."""

    def get_events(self, *e_filter: Any) -> Any:
        """Yields the pending events in order.
        
        Args:
            *e_filter: the requested keys, types, or (type, key) pairs; none: all events."""

    def get_image(self) -> Any:
        """Returns the canvas as floats from 0 to 1, with shape (width, height, 4)."""

    def get_key_event(self) -> Any:
        """Waits for the next event and returns it."""

    def has_key_event(self) -> Any:
        """Returns whether there are events that have not been taken."""

    def is_pressed(self, *keys: Any) -> Any:
        """Returns whether any of the keys is held down.
        
        Args:
            *keys: keys such as `"a"`, `GUI.SPACE`, `GUI.LMB`."""

    def label(self, text: Any) -> Any:
        """Adds a line of text with a number.
        
        Args:
            text: the caption before the number.
        
        Returns:
            An object whose `value` is the number."""

    def line(self, begin: Any, end: Any, radius: Any=1, color: Any=16777215) -> Any:
        """Draws a line.
        
        Args:
            begin: the start point.
            end: the end point.
            radius: the radius in pixels.
            color: 0xRRGGBB."""

    def lines(self, begin: Any, end: Any, radius: Any=1, color: Any=16777215) -> Any:
        """Draws lines.
        
        Args:
            begin: the start points, with shape (n, 2).
            end: the end points.
            radius: the radius in pixels; one number or one per line.
            color: 0xRRGGBB, one colour or one per line."""

    def point_field(self, radius: Any, color: Any=16777215, bound: Any=0.5) -> Any:
        """Draws a grid of discs.
        
        Args:
            radius: the radii in pixels, with shape (w, h).
            color: 0xRRGGBB, one colour or one per disc.
            bound: distance of the outermost discs from the border, in cells."""

    def rect(self, topleft: Any, bottomright: Any, radius: Any=1, color: Any=16777215) -> Any:
        """Draws the outline of a rectangle.
        
        Args:
            topleft: a corner.
            bottomright: the opposite corner.
            radius: the radius of the lines, in pixels.
            color: 0xRRGGBB."""
    running: Any

    def set_image(self, img: Any) -> Any:
        """Fills the canvas with a picture, `img[x, y]`.
        
        Args:
            img: a field, ndarray or NumPy array with the shape `res`, of floats from 0 to 1 or unsigned integers; elements are numbers or
                vectors of length 2 to 4."""

    def show(self, file: Any=None) -> Any:
        """Shows the frame and begins the next one.
        
        Args:
            file: path of a picture file to write the frame to as well; None: no file."""

    def slider(self, text: Any, minimum: Any, maximum: Any, step: Any=1) -> Any:
        """Adds a slider.
        
        Args:
            text: the caption.
            minimum: the lowest value.
            maximum: the highest value.
            step: the step size.
        
        Returns:
            An object whose `value` is the position of the slider."""

    def text(self, content: Any, pos: Any, font_size: Any=15, color: Any=16777215) -> Any:
        """Draws a text.
        
        Args:
            content: the text.
            pos: the upper left corner.
            font_size: the font size in pixels.
            color: 0xRRGGBB."""

    def triangle(self, a: Any, b: Any, c: Any, color: Any=16777215) -> Any:
        """Draws a triangle.
        
        Args:
            a: the first corner.
            b: the second corner.
            c: the third corner.
            color: 0xRRGGBB."""

    def triangles(self, a: Any, b: Any, c: Any, color: Any=16777215) -> Any:
        """Draws triangles.
        
        Args:
            a: the first corners, with shape (n, 2).
            b: the second corners.
            c: the third corners.
            color: 0xRRGGBB, one colour or one per triangle."""

    def vector_field(self, vector_field: Any, arrow_spacing: Any=5, color: Any=16777215) -> Any:
        """Draws arrows for vectors on a grid; the longest arrow is a tenth of the canvas.
        
        Args:
            vector_field: a field of 2-vectors with two axes.
            arrow_spacing: distance between arrows, in cells.
            color: 0xRRGGBB."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: Any) -> None: ...
INFO: str

class Layout(enum.IntEnum):
    """Memory order of the members of compound elements: AOS, the members of an element are adjacent; SOA, each member is stored apart.
    
    Example:
        >>> v = qd.Vector.field(2, qd.f32, shape=4, layout=qd.Layout.SOA)
        >>> v.dtype
        f32"""
    AOS = 0
    SOA = 1
    NULL = 2

class QuadrantsArgumentError(QuadrantsSyntaxError):
    """A kernel or func is called with arguments that do not match its signature; Python raises TypeError for this.
    
    Example:
        >>> @qd.func
        ... def half(x):
        ...     return x / 2
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     return half(1, 2)
        >>> try:
        ...     f()
        ... except qd.QuadrantsArgumentError as e:
        ...     print(isinstance(e, TypeError))
        True"""

class QuadrantsAssertionError(QuadrantsRuntimeError):
    """With debug=True, an assertion in a kernel failed or an index was out of bounds.
    
    Example:
        >>> qd.init(arch=qd.cpu, debug=True)
        >>> @qd.kernel
        ... def f(x: qd.i32):
        ...     assert x > 0, "too small"
        >>> try:
        ...     f(0)
        ... except qd.QuadrantsAssertionError as e:
        ...     print("too small" in str(e))
        True"""

class QuadrantsCompilationError(Exception):
    """An error in a kernel, found during compilation; the subclasses are syntax, type, name and index errors. The message shows the line
    with a caret, and the calls of funcs that lead to it.
    
    Example:
        >>> @qd.kernel
        ... def f():
        ...     x = y
        >>> try:
        ...     f()
        ... except qd.QuadrantsCompilationError as e:
        ...     print(type(e).__name__)
        QuadrantsNameError"""

class QuadrantsIndexError(QuadrantsCompilationError):
    """The number or type of indices is wrong.
    
    Example:
        >>> issubclass(qd.QuadrantsIndexError, (qd.QuadrantsCompilationError, IndexError))
        True"""

class QuadrantsInterruptedError(QuadrantsRuntimeError):
    """Ctrl-C, or Stop in a notebook, ended a kernel launched by a thread other than the main thread. On the main thread, KeyboardInterrupt
    is raised instead.
    
    Example:
        >>> issubclass(qd.QuadrantsInterruptedError, qd.QuadrantsRuntimeError)
        True"""

class QuadrantsNameError(QuadrantsCompilationError):
    """A name in a kernel is not defined.
    
    Example:
        >>> issubclass(qd.QuadrantsNameError, qd.QuadrantsCompilationError)
        True"""
    name: Any

class QuadrantsRuntimeError(RuntimeError):
    """A call cannot be carried out.
    
    Example:
        >>> issubclass(qd.QuadrantsRuntimeError, RuntimeError)
        True"""

class QuadrantsRuntimeTypeError(QuadrantsRuntimeError):
    """An argument of a call has the wrong type.
    
    Example:
        >>> @qd.kernel
        ... def f(x: qd.i32): pass
        >>> try:
        ...     f("a")
        ... except qd.QuadrantsRuntimeTypeError as e:
        ...     print("refused")
        refused"""

class QuadrantsSyntaxError(QuadrantsCompilationError):
    """A kernel uses Python syntax or a construct that the language does not support.
    
    Example:
        >>> issubclass(qd.QuadrantsSyntaxError, qd.QuadrantsCompilationError)
        True"""
    end_lineno: Any
    end_offset: Any
    filename: Any
    lineno: Any
    msg: Any
    offset: Any
    print_file_and_line: Any
    text: Any

class QuadrantsTypeError(QuadrantsCompilationError):
    """Types in a kernel do not match.
    
    Example:
        >>> issubclass(qd.QuadrantsTypeError, qd.QuadrantsCompilationError)
        True"""
TRACE: str
WARN: str
_MatrixTensor = MatrixTensor
_Tensor = Tensor
_VectorTensor = VectorTensor
__version_str__: str
from quadrants import _lib as _lib
from quadrants import _tensor as _tensor
_wrap = wrap
from quadrants import ad as ad
from quadrants import algorithms as algorithms
amdgpu: _Arch
arm64: _Arch

def atan2(x1: Any, x2: Any) -> Any:
    """Returns the angle of the point (x2, x1) in radians, from -pi to pi.
    
    Args:
        x1: the y coordinate.
        x2: the x coordinate.
    
    Returns:
        The result, elementwise; numbers are broadcast to the shape of vectors and matrices, and types are promoted.
    
    Example:
        >>> qd.atan2(1.0, 1.0)
        0.7853981633974483"""

def atomic_add(x: Any, y: Any) -> Any:
    """Performs x = x + y atomically. `x += y` in a parallel loop does the same.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices are updated element by element.
        y: the other operand, converted to the type of `x`.
    
    Returns:
        The previous value of `x`.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_add(x[None], 2)
        >>> (f(), x[None])
        (6, 8)"""

def atomic_and(x: Any, y: Any) -> Any:
    """Performs x = x & y atomically. `x &= y` in a parallel loop does the same.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices are updated element by element.
        y: the other operand, converted to the type of `x`; an integer.
    
    Returns:
        The previous value of `x`.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs. QuadrantsTypeError: `x` or `y` is not an integer.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_and(x[None], 3)
        >>> (f(), x[None])
        (6, 2)"""

def atomic_cas(x: Any, expected: Any, desired: Any) -> Any:
    """Atomic compare-and-swap: sets x to `desired` if it equals `expected`.
    
    Args:
        x: an integer element.
        expected: the value to compare with.
        desired: the new value.
    
    Returns:
        The previous value of `x`; it equals `expected` if `x` was changed.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs. QuadrantsTypeError: `x` is not an integer.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_cas(x[None], 6, 1)
        >>> (f(), x[None])
        (6, 1)"""

def atomic_exchange(x: Any, y: Any) -> Any:
    """Performs x = y atomically.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices are updated element by element.
        y: the other operand, converted to the type of `x`.
    
    Returns:
        The previous value of `x`.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_exchange(x[None], 2)
        >>> (f(), x[None])
        (6, 2)"""

def atomic_max(x: Any, y: Any) -> Any:
    """Performs x = max(x, y) atomically.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices are updated element by element.
        y: the other operand, converted to the type of `x`.
    
    Returns:
        The previous value of `x`.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_max(x[None], 9)
        >>> (f(), x[None])
        (6, 9)"""

def atomic_min(x: Any, y: Any) -> Any:
    """Performs x = min(x, y) atomically.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices are updated element by element.
        y: the other operand, converted to the type of `x`.
    
    Returns:
        The previous value of `x`.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_min(x[None], 2)
        >>> (f(), x[None])
        (6, 2)"""

def atomic_mul(x: Any, y: Any) -> Any:
    """Performs x = x * y atomically.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices are updated element by element.
        y: the other operand, converted to the type of `x`.
    
    Returns:
        The previous value of `x`.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_mul(x[None], 2)
        >>> (f(), x[None])
        (6, 12)"""

def atomic_or(x: Any, y: Any) -> Any:
    """Performs x = x | y atomically. `x |= y` in a parallel loop does the same.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices are updated element by element.
        y: the other operand, converted to the type of `x`; an integer.
    
    Returns:
        The previous value of `x`.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs. QuadrantsTypeError: `x` or `y` is not an integer.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_or(x[None], 1)
        >>> (f(), x[None])
        (6, 7)"""

def atomic_sub(x: Any, y: Any) -> Any:
    """Performs x = x - y atomically. `x -= y` in a parallel loop does the same.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices are updated element by element.
        y: the other operand, converted to the type of `x`.
    
    Returns:
        The previous value of `x`.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_sub(x[None], 2)
        >>> (f(), x[None])
        (6, 4)"""

def atomic_xor(x: Any, y: Any) -> Any:
    """Performs x = x ^ y atomically. `x ^= y` in a parallel loop does the same.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices are updated element by element.
        y: the other operand, converted to the type of `x`; an integer.
    
    Returns:
        The previous value of `x`.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs. QuadrantsTypeError: `x` or `y` is not an integer.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_xor(x[None], 2)
        >>> (f(), x[None])
        (6, 4)"""

def bit_shr(x1: Any, x2: Any) -> Any:
    """Shifts to the right and fills with zeros, also for signed integers.
    
    Args:
        x1: an integer, or a vector or matrix of integers.
        x2: the number of bits.
    
    Returns:
        The shifted value, of the type of x1; elementwise.
    
    Example:
        >>> qd.bit_shr(-1, 28)
        15"""

def block_local(*args: Any) -> Any:
    """Requests that each block of the next loop cache the part of these fields that it accesses. A hint for GPUs; it has no effect on the CPU.
    
    Args:
        *args: fields.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.f32, shape=8)
        >>> @qd.kernel
        ... def f():
        ...     qd.block_local(x)
        ...     for i in x:
        ...         x[i] += 1.0
        >>> f()"""

def cache_read_only(*args: Any) -> Any:
    """Promises that the next loop only reads these fields. A hint for GPUs; it has no effect on the CPU.
    
    Args:
        *args: fields.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.f32, shape=8)
        >>> y = qd.field(qd.f32, shape=8)
        >>> @qd.kernel
        ... def f():
        ...     qd.cache_read_only(x)
        ...     for i in range(8):
        ...         y[i] = x[i]
        >>> f()"""

def clear_all_gradients(gradient_type: Any=...) -> Any:
    """Sets the gradients of all fields to 0.
    
    Args:
        gradient_type: `SNodeGradType.ADJOINT`, or DUAL for the duals.
    
    Example:
        >>> x = qd.field(qd.f32, shape=2, needs_grad=True)
        >>> x.grad.fill(1.0)
        >>> qd.ad.clear_all_gradients()
        >>> x.grad[0]
        0.0"""
cpu: _Arch
cuda: _Arch
from quadrants import experimental as experimental

class extension(enum.IntEnum):
    sparse = 0
    quant = 1
    mesh = 2
    quant_basic = 3
    data64 = 4
    adstack = 5
    bls = 6
    assertion = 7
    extfunc = 8

def frexp(x: Any) -> Any:
    """Decomposes x into a fraction in [0.5, 1) and an exponent: x = fraction * 2 ** exponent.
    
    Args:
        x: a float.
    
    Returns:
        The pair (fraction, exponent), a float and an i32.
    
    Example:
        >>> qd.frexp(6.0)
        (0.75, 3)"""

def get_addr(f: Any, indices: Any) -> Any:
    """Returns the address of an element of a field.
    
    Args:
        f: a field of scalars.
        indices: the indices of the element, one integer per axis.
    
    Returns:
        A u64.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.f32, shape=8)
        >>> @qd.kernel
        ... def f() -> qd.u64:
        ...     return qd.get_addr(x, [1]) - qd.get_addr(x, [0])
        >>> f()
        4"""
gpu: list[Any]
from quadrants.lang import graph as graph

def hex_to_rgb(color: Any) -> Any:
    """Converts 0xRRGGBB into three numbers from 0 to 1.
    
    Args:
        color: an integer.
    
    Example:
        >>> qd.hex_to_rgb(0xFF0033)
        (1.0, 0.0, 0.2)"""
i: list[Any]
ij: list[Any]
ijk: list[Any]
ijkl: list[Any]
ijl: list[Any]
ik: list[Any]
ikl: list[Any]
il: list[Any]

def inspect(*arrays: Any, title: Any=None, wait: Any=False, keep: Any=True, show_window: Any=True, **named: Any) -> Any:
    """Opens a window that shows a running program: how often each line ran, pictures of fields and arrays, task times, and the output of
    kernels. It returns at once; later calls add to the same window. From then on lines are counted, so kernels compiled earlier are
    compiled again. In a program started with QD_INSPECT=attach no window opens: use `quadrants inspect PID`.
    
    Args:
        arrays: fields, ndarrays and NumPy arrays to show, named after the variables that hold them.
        named: further arrays, with explicit names.
        title: the title of the window; None: the name of the program.
        wait: whether to pause the program here until Resume is pressed; without a visible window it continues.
        keep: whether the window stays open after the program has ended.
        show_window: if False, the window is rendered off-screen.
    
    Returns:
        An Inspector. If no window can be opened, one line says so, and the program continues without it.
    
    Raises:
        TypeError: an argument is not a field or an array, or title is not a string.
    
    Example:
        >>> ins = qd.inspect(v, pos=x, title="waves")  # doctest: +SKIP"""
from quadrants import interop as interop

def is_active(node: Any, indices: Any) -> Any:
    """Returns whether a cell of a sparse SNode is active.
    
    Args:
        node: an SNode of a sparse tree, such as `x.parent()`.
        indices: the indices of the cell, one integer per axis, as a list, tuple or vector.
    
    Returns:
        True or False.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> level = qd.root.pointer(qd.i, 4)
        >>> x = qd.field(qd.f32)
        >>> _ = level.place(x)
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     x[2] = 1.0
        ...     return qd.is_active(level, [2])
        >>> f()
        1"""
j: list[Any]
jk: list[Any]
jkl: list[Any]
jl: list[Any]
k: list[Any]
kl: list[Any]
l: list[Any]
from quadrants import lang as lang
from quadrants import linalg as linalg
from quadrants import math as math

def max(*args: Any) -> Any:
    """Returns the maximum of the arguments, elementwise.
    
    Args:
        *args: one or more numbers, vectors or matrices.
    
    Returns:
        The result, elementwise; numbers are broadcast to the shape of vectors and matrices, and types are promoted.
    
    Example:
        >>> qd.max(1, qd.Vector([0, 2]), 1)
        [1 2]"""

def mesh_local(*args: Any) -> Any:
    """Requests that the next loop cache these mesh attributes patch by patch. A hint for GPUs; it has no effect on the CPU.
    
    Args:
        *args: fields that are attributes of a mesh.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.f32, shape=8)
        >>> @qd.kernel
        ... def f():
        ...     qd.mesh_local(x)
        ...     for i in x:
        ...         x[i] += 1.0
        >>> f()"""

def mesh_patch_idx() -> Any:
    """In a loop over mesh elements, returns the number of the patch of the current iteration.
    
    Returns:
        An i32.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs. QuadrantsSyntaxError: called outside a loop over mesh elements.
    
    Example:
        >>> qd.mesh_patch_idx()
        Traceback (most recent call last):
        quadrants.QuadrantsSyntaxError: qd.mesh_patch_idx can only be used in kernels and funcs."""
metal: _Arch

def min(*args: Any) -> Any:
    """Returns the minimum of the arguments, elementwise.
    
    Args:
        *args: one or more numbers, vectors or matrices.
    
    Returns:
        The result, elementwise; numbers are broadcast to the shape of vectors and matrices, and types are promoted.
    
    Example:
        >>> qd.min(1, 2.5)
        1"""

def no_activate(*args: Any) -> Any:
    """In the following loops, writes to these SNodes do not activate cells; values written to inactive cells are lost.
    
    Args:
        *args: SNodes of sparse trees.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> level = qd.root.pointer(qd.i, 4)
        >>> x = qd.field(qd.f32)
        >>> _ = level.place(x)
        >>> @qd.kernel
        ... def f():
        ...     qd.no_activate(level)
        ...     x[2] = 1.0
        >>> f()"""

def outer(a: Any, b: Any) -> Any:
    """Makes the outer product of two vectors, to be subtracted from a tile: `tile -= qd.outer(a, b)`. Tiles need a GPU.
    
    Args:
        a: a vector; its elements correspond to the rows. In a kernel it is a part of a column, `x[r0:r1, c]`, or a number of each thread.
        b: a vector; its elements correspond to the columns.
    
    Example:
        >>> type(qd.outer(qd.Vector([1.0]), qd.Vector([2.0]))).__name__
        'OuterProduct'"""

def pow(base: Any, exponent: Any) -> Any:
    """Returns `base ** exponent`.
    
    Args:
        base: a number, vector or matrix.
        exponent: a number, vector or matrix.
    
    Returns:
        The result, elementwise; numbers are broadcast to the shape of vectors and matrices, and types are promoted.
    
    Raises:
        QuadrantsTypeError: both arguments are integers and the exponent is negative; checked for constants, and in debug mode.
    
    Example:
        >>> qd.pow(2, 10)
        1024"""
from quadrants import profiler as profiler
python: _Arch

def raw_div(x1: Any, x2: Any) -> Any:
    """Divides as in C: the quotient of integers is truncated towards zero.
    
    Args:
        x1: the dividend.
        x2: the divisor.
    
    Returns:
        The result, elementwise; numbers are broadcast to the shape of vectors and matrices, and types are promoted.
    
    Example:
        >>> qd.raw_div(-7, 2), qd.raw_div(7.0, 2.0)
        (-3, 3.5)"""

def raw_mod(x1: Any, x2: Any) -> Any:
    """Returns the remainder as in C, with the sign of the dividend.
    
    Args:
        x1: the dividend.
        x2: the divisor.
    
    Returns:
        The result, elementwise; numbers are broadcast to the shape of vectors and matrices, and types are promoted.
    
    Example:
        >>> qd.raw_mod(-7, 2)
        -1"""

def rescale_index(a: Any, b: Any, I: Any) -> Any:
    """Converts indices of `a` to the corresponding indices of `b`, where one is a coarser grid of the other.
    
    Args:
        a: a field or SNode.
        b: a field or SNode.
        I: the indices in `a`.
    
    Returns:
        A vector of integers.
    
    Raises:
        QuadrantsSyntaxError: called outside kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.f32, shape=8)
        >>> y = qd.field(qd.f32, shape=2)
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.rescale_index(x, y, [6])[0]
        >>> f()
        1"""

def rgb_to_hex(c: Any) -> Any:
    """Converts three numbers from 0 to 1 into 0xRRGGBB.
    
    Args:
        c: red, green, blue; numbers or arrays.
    
    Example:
        >>> hex(qd.rgb_to_hex((1.0, 0.5, 0.0)))
        '0xff7f00'"""

def select(cond: Any, x1: Any, x2: Any) -> Any:
    """Returns `x1` where `cond` is true, else `x2`. Both are evaluated.
    
    Args:
        cond: an integer or boolean, or a vector or matrix of these.
        x1: a number, vector or matrix.
        x2: a number, vector or matrix.
    
    Returns:
        The selected values, elementwise, of the common type of `x1` and `x2`.
    
    Example:
        >>> qd.select(qd.Vector([1, 0]), qd.Vector([1, 2]), qd.Vector([3, 4]))
        [1 4]"""
from quadrants import simt as simt
from quadrants import sparse as sparse
from quadrants import tools as tools
from quadrants import types as types
from quadrants import ui as ui
vulkan: _Arch
x64: _Arch
x86_64: _Arch
from quadrants import cache as cache, coverage as coverage, distributed as distributed
