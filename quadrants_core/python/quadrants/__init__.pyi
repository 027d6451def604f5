# Made by docs/stubs/generate.py (`make stubs`); types that it cannot tell stand beside it.
# pyright: reportIncompatibleMethodOverride=false, reportIncompatibleVariableOverride=false, reportOverlappingOverload=false
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
    """Makes a kernel of a function: it is compiled when it is called, once for each set of argument types, and every loop at its top
    runs in parallel. It is called from Python like any function; kernels do not call kernels.
    
    Args:
        fn: the function, if it is used as `@qd.kernel` alone. Parameters and result need annotations.
        pure: the earlier name of `fastcache`.
        fastcache: promises that the kernel reads nothing but its arguments, and has that checked: a warm start then asks less.
        graph: launched as one graph, which may hold `qd.graph.do_while` and `qd.graph.parallel_context`.
        checkpoints: with graph=True, the kernel may hold `qd.checkpoint`, and gives a `qd.GraphStatus`.
        ad_stack_budget_bytes: goes before the option of `qd.init` in the kernel's gradient.
    
    Returns:
        A kernel, or a decorator if `fn` is not given.
    
    Raises:
        QuadrantsSyntaxError: annotations that no kernel can have. TypeError, ValueError: an option that is neither True nor False. At the
        first call: QuadrantsCompilationError and its kinds, with the line of the kernel.
    
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
    """Makes a kernel of a function: it is compiled when it is called, once for each set of argument types, and every loop at its top
    runs in parallel. It is called from Python like any function; kernels do not call kernels.
    
    Args:
        fn: the function, if it is used as `@qd.kernel` alone. Parameters and result need annotations.
        pure: the earlier name of `fastcache`.
        fastcache: promises that the kernel reads nothing but its arguments, and has that checked: a warm start then asks less.
        graph: launched as one graph, which may hold `qd.graph.do_while` and `qd.graph.parallel_context`.
        checkpoints: with graph=True, the kernel may hold `qd.checkpoint`, and gives a `qd.GraphStatus`.
        ad_stack_budget_bytes: goes before the option of `qd.init` in the kernel's gradient.
    
    Returns:
        A kernel, or a decorator if `fn` is not given.
    
    Raises:
        QuadrantsSyntaxError: annotations that no kernel can have. TypeError, ValueError: an option that is neither True nor False. At the
        first call: QuadrantsCompilationError and its kinds, with the line of the kernel.
    
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
    """Makes a kernel of a function: it is compiled when it is called, once for each set of argument types, and every loop at its top
    runs in parallel. It is called from Python like any function; kernels do not call kernels.
    
    Args:
        fn: the function, if it is used as `@qd.kernel` alone. Parameters and result need annotations.
        pure: the earlier name of `fastcache`.
        fastcache: promises that the kernel reads nothing but its arguments, and has that checked: a warm start then asks less.
        graph: launched as one graph, which may hold `qd.graph.do_while` and `qd.graph.parallel_context`.
        checkpoints: with graph=True, the kernel may hold `qd.checkpoint`, and gives a `qd.GraphStatus`.
        ad_stack_budget_bytes: goes before the option of `qd.init` in the kernel's gradient.
    
    Returns:
        A kernel, or a decorator if `fn` is not given.
    
    Raises:
        QuadrantsSyntaxError: annotations that no kernel can have. TypeError, ValueError: an option that is neither True nor False. At the
        first call: QuadrantsCompilationError and its kinds, with the line of the kernel.
    
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
    """Makes a function that kernels and other funcs may call; its code becomes part of theirs.
    
    Args:
        fn: the function, if it is used as `@qd.func` alone. Annotations are optional; `qd.template()` passes by reference.
        is_real_function: makes it a real func, see `qd.real_func`.
        requires_top_level: an error if it is called inside of a loop or branch.
    
    Returns:
        The func, or a decorator if `fn` is not given.
    
    Raises:
        QuadrantsSyntaxError: it is called from Python, outside of a kernel.
    
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
    """Makes a function that kernels and other funcs may call; its code becomes part of theirs.
    
    Args:
        fn: the function, if it is used as `@qd.func` alone. Annotations are optional; `qd.template()` passes by reference.
        is_real_function: makes it a real func, see `qd.real_func`.
        requires_top_level: an error if it is called inside of a loop or branch.
    
    Returns:
        The func, or a decorator if `fn` is not given.
    
    Raises:
        QuadrantsSyntaxError: it is called from Python, outside of a kernel.
    
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
    """A func that may return from inside of branches and loops, and call itself. Parameters and result are annotated.
    
    Args:
        fn: the function.
    
    Returns:
        The func.
    
    Raises:
        QuadrantsSyntaxError: it is called from Python, or a parameter has no type.
    
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
    """A function usable in kernels and in Python.
    
    Args:
        fn: the function; it may use what both have.
    
    Returns:
        The function.
    
    Example:
        >>> @qd.pyfunc
        ... def twice(x):
        ...     return 2 * x
        >>> twice(4)
        8"""

def pure(fn: _F) -> _F:
    """The earlier way to write `@qd.kernel(fastcache=True)`.
    
    Args:
        fn: the function, below `@qd.kernel`.
    
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
        cls: the class, if it is used as `@qd.data_oriented` alone.
        stable_members: promises that no attribute is assigned again; nothing is made of it, since a launch compares its attributes in
            any case.
        template_primitives: numbers among the attributes of an instance are constants of its kernels; False: they are read at
            every launch.
    
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
        cls: the class, if it is used as `@qd.data_oriented` alone.
        stable_members: promises that no attribute is assigned again; nothing is made of it, since a launch compares its attributes in
            any case.
        template_primitives: numbers among the attributes of an instance are constants of its kernels; False: they are read at
            every launch.
    
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

def dataclass(cls: type[_T]) -> type[_StructOf[_T]]:
    """A class whose annotations are the members of a struct type; its functions become methods.
    
    Args:
        cls: the class. Members are number, vector, matrix or struct types.
    
    Returns:
        The class: called, it makes a value; `.field(shape=...)` makes a field of such.
    
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
    """The type of a parameter of a real func that is passed by reference: what the func assigns, the caller sees.
    
    Args:
        tp: the type of the variable, a number type or a vector or matrix type.
    
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
    """Decorates an empty prototype. Implementations are added with `@prototype.register`; they are timed for each value of
    `get_geometry_hash(*args)`, and the fastest is called from then on. All must give the same result.
    
    Args:
        get_geometry_hash: function of the arguments; calls with equal results are thought to take the same time.
        first_warmup: calls of an implementation before the first measurement.
        warmup: calls before each later one.
        active: calls that are measured.
        repeat_after_count: measure again after so many calls; None: never.
        repeat_after_seconds: measure again after so long; None: never.
    
    Returns:
        A decorator.
    
    Raises:
        QuadrantsRuntimeError: no implementation fits the arguments.
    
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
    """Annotation of a parameter that is known at compile time: a field, a number, a func, any object. The kernel is compiled for each
    that it is called with; in a func, the argument is passed by reference.
    
    Args:
        element_type: of what it takes; for the reader, nothing is checked.
        ndim: likewise.
    
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
    """Annotation of a parameter that takes a `qd.linalg.SparseMatrixBuilder`: in the kernel `A[i, j] += v` adds an entry.
    
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
    """Starts a program on `arch`, and ends the one before: its fields, arrays and compiled kernels are gone.
    
    Args:
        arch: what runs the kernels: `qd.cpu`, `qd.python` (in Python, for debugging), `qd.gpu`, a list in order of preference, or a
            name as text. None: `QD_ARCH`, else the processor.
        default_fp: type of floats that have none of their own; `qd.f32`, `qd.f16` or `qd.f64`.
        default_ip: type of integers that have none of their own; `qd.i32` or `qd.i64`.
        _test_mode: for tests of options: nothing is started, and those that are no part of `qd.cfg` are given back.
        enable_fallback: False: an error if `arch` is not there; True: the processor is taken instead.
        require_version: text such as "0.1.0"; an error if the package is another version.
        print_non_pure: tell of kernels that read what is not among their parameters.
        src_ll_cache: keep on disk what a kernel became, so that the next process neither parses nor lowers it.
        **compile_config_kwargs: any option of the table of options; each is also read from the environment as QD_<NAME>.
    
    Raises:
        KeyError: an option that is not known. ValueError, AssertionError: a value that an option cannot have. RuntimeError: `arch` is
        not there, and enable_fallback is False.
    
    Example:
        >>> qd.init(arch=qd.cpu, default_fp=qd.f64, random_seed=7)
        >>> qd.cfg.random_seed
        7
    
    Options:
        default_ip: type of integers that have none of their own: i32 or i64; 32 or 64 in the environment
        default_fp: type of reals that have none of their own: f16, f32 or f64; 32 or 64 in the environment
        fast_math: real arithmetic may be reordered and fused, and subnormal numbers be zero; off: as IEEE 754 says, the same on every processor
        short_circuit_operators: `and` and `or` leave their right side alone once the left one decides
        unrolling_limit: warn where more rounds than these are unrolled; 0: never
        raise_on_templated_floats: refuse floats that a kernel has as compile-time values
        deterministic: sums of reals, and qd.random, give the same bits in every run and with any number of threads
        opt_level: 0: code is made as fast as can be, and runs slowly; from 1 on all are the same
        cfg_optimization: what was stored is not loaded again; off: memory is read and written wherever the kernel says so
        advanced_optimization: laws of algebra, as x * 1 = x; off: constants are evaluated, and no more
        cache_loop_invariant_global_vars: what a loop reads and writes at one place stays in a register while it runs
        make_thread_local: each thread adds up for itself what all add to one place; off: one atomic addition a round
        flatten_if: branches become selections where both sides may be computed; off: only small ones do
        debug: check indices, overflow, division and assertions while kernels run, and the IR after every pass, which takes up to a tenth of the time that large kernels take to compile
        check_out_of_bound: check indices; `debug` implies it
        print_non_pure: tell of kernels that read what is not among their parameters
        print_full_traceback: errors without the places in the kernel that are shown else
        gdb_trigger: has no effect here; programs set it
        cpu_max_num_threads: threads that run loops; 0: one for each core that the process may use
        make_cpu_multithreading_loop: run parallel loops on several threads; off: in order, on one
        default_cpu_block_dim: rounds that a thread takes at once, a multiple of it where they are short; 32: as the loop's length has it
        cpu_block_dim_adaptive: off: `default_cpu_block_dim` acts even if it is 32
        num_compile_threads: most threads that compile the tasks of one kernel
        compile_tiers: begin with code that is made fast, go on with fast code once it is made
        random_seed: where qd.random begins
        offline_cache: keep compiled code on disk
        src_ll_cache: keep on disk what a kernel became, so that the next process neither parses nor lowers it
        offline_cache_file_path: the folder; empty: qdcache below $XDG_CACHE_HOME/quadrants or ~/.cache/quadrants
        offline_cache_max_size_of_files: bytes of kernels from which on some are removed
        offline_cache_cleaning_policy: which kernels go first: never, version, lru or fifo; others are as never
        offline_cache_cleaning_factor: part of the kernels that goes when there are that many bytes
        log_level: messages below it are not shown: trace, debug, info, warn, error, critical, off
        kernel_profiler: measure every task: qd.profiler
        timeline: note what compiling and launches did when, for Perfetto: timeline_save of quadrants.lang.misc
        print_ir: print the IR after every pass
        print_ir_dbg_info: places in the source, `@line:column`, in IR that is printed or dumped
        print_preprocessed_ir: print what the frontend makes of each kernel
        print_kernel_llvm_ir: print the LLVM IR of each kernel as LLVM gets it
        print_kernel_llvm_ir_optimized: print the LLVM IR of each kernel as LLVM has optimised it
        print_kernel_asm: print the machine code of each kernel
        debug_dump_path: the folder of QD_DUMP_IR and QD_LOAD_IR
        external_metal_command_queue: a queue of Metal to use, as a pointer; 0: one of its own. Refused where kernels do not run on Metal
        ad_stack_experimental_enabled: stacks for reverse mode: loops within loops
        ad_stack_size: entries of each such stack, one more than the loop has iterations; 0: as many as needed
        ad_stack_budget_bytes: bytes that stacks may take for one iteration of a parallel loop: what has no room is worked out again; 0: all is kept"""

def reset() -> None:
    """Ends the running program: memory is freed, compiled kernels are dropped; arrays and fields of it are dead.
    
    Raises:
        KeyboardInterrupt: by Ctrl-C while it waits for launches; the program is over all the same.
    
    Example:
        >>> qd.reset()"""

def sync() -> None:
    """Waits until everything launched is done. Launches on the CPU are done when the call returns, so there it is for kernels' output
    and for programs that also run on GPUs.
    
    Example:
        >>> qd.sync()"""

def is_extension_enabled(ext: extension) -> bool:
    """Whether the running architecture offers an extension.
    
    Args:
        ext: one of `qd.extension`, such as `qd.extension.sparse`.
    
    Returns:
        True or False.
    
    Example:
        >>> qd.is_extension_enabled(qd.extension.sparse)
        True"""

def is_logging_effective(level: str) -> bool:
    """Whether messages of `level` are shown.
    
    Args:
        level: `qd.TRACE`, `qd.DEBUG`, `qd.INFO`, `qd.WARN`, `qd.ERROR` or `qd.CRITICAL`, or their names as text.
    
    Returns:
        True or False.
    
    Example:
        >>> qd.is_logging_effective(qd.ERROR)
        True"""

def set_logging_level(level: str) -> None:
    """Messages below `level` are not shown.
    
    Args:
        level: `qd.TRACE`, `qd.DEBUG`, `qd.INFO`, `qd.WARN`, `qd.ERROR` or `qd.CRITICAL`, or their names as text.
    
    Example:
        >>> qd.set_logging_level(qd.WARN)
        >>> qd.is_logging_effective(qd.INFO)
        False
        >>> qd.set_logging_level(qd.INFO)"""

def dump_compile_config() -> None:
    """Prints every option with its value, one a line.
    
    Example:
        >>> qd.dump_compile_config()  # doctest: +ELLIPSIS
        ad_stack_budget_bytes=0
        ..."""

class Matrix:
    """A matrix of numbers. In a kernel it is a compile-time constant; arguments and results of kernels come as these. Operators work
    elementwise, `@` is the matrix product, `m[i, j]` an element.
    
    Args:
        *args: rows, as a list of lists; or a vector's components; or a NumPy array; then, if it is given, the type.
        **keywords: `dt`, the type of the components; `needs_grad`, which a value does not have.
    
    Attributes:
        n: rows.
        m: columns.
        entries: the components in a flat list, row by row.
        x, y, z, w, r, g, b, a, s, t, p, q: the first four components of a vector, in the manner of shading languages; several, such as
            `v.xy`, make a vector.
    
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
        """Whether no component is 0."""

    def any(self) -> Any:
        """Whether a component is not 0."""
    b: Any

    def cast(self, dtype: type[Any]) -> Self:
        """The matrix with its components converted.
        
        Args:
            dtype: a number type."""

    @staticmethod
    def cols(cols: Sequence[Any]) -> Matrix:
        """The matrix with these columns.
        
        Args:
            cols: vectors or lists of one length."""

    def cross(self, other: Any) -> Any:
        """The vector product of two vectors of 3, or the number a.x * b.y - a.y * b.x of two vectors of 2.
        
        Args:
            other: a vector of the same length."""

    def determinant(self) -> Any:
        """The determinant of a square matrix of up to 4 rows."""

    @staticmethod
    def diag(dim: int, val: Any) -> Matrix:
        """A square matrix with `val` on its diagonal and 0 elsewhere.
        
        Args:
            dim: how many rows.
            val: a number."""

    def dot(self, other: Any) -> Any:
        """The scalar product.
        
        Args:
            other: a vector of the same length."""

    @classmethod
    @overload
    def field(cls, n: int, m: int, dtype: _Type | Sequence[Any], shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=..., ndim: int | None=None) -> _MatricesField:
        """A field of matrices; ndim=1: of vectors, m is 1.
        
        Args:
            n: rows.
            m: columns.
            dtype: type of the components; a list: of each.
            shape: an integer or a tuple of them; None: it is placed in a tree.
            order: the axes in the order of memory, such as "ji".
            name: how errors and profiles call it.
            offset: the first index of each axis.
            needs_grad: it has a field `grad`.
            needs_dual: it has a field `dual`.
            layout: `qd.Layout.AOS`, components together, or `qd.Layout.SOA`, apart.
            ndim: 1 or 2 indices of an element."""

    @classmethod
    @overload
    def field(cls, *, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _MatricesField:
        """A field of matrices; ndim=1: of vectors, m is 1.
        
        Args:
            n: rows.
            m: columns.
            dtype: type of the components; a list: of each.
            shape: an integer or a tuple of them; None: it is placed in a tree.
            order: the axes in the order of memory, such as "ji".
            name: how errors and profiles call it.
            offset: the first index of each axis.
            needs_grad: it has a field `grad`.
            needs_dual: it has a field `dual`.
            layout: `qd.Layout.AOS`, components together, or `qd.Layout.SOA`, apart.
            ndim: 1 or 2 indices of an element."""

    def fill(self, val: Any) -> None:
        """Every component becomes `val`.
        
        Args:
            val: a number."""

    def frobenius_inner(self, other: Any) -> Any:
        """The sum of the products of components at the same place.
        
        Args:
            other: a matrix of the same shape."""
    g: Any

    def get_shape(self) -> tuple[int, ...]:
        """(n, m) of a matrix, (n,) of a vector."""

    @staticmethod
    def identity(dt: type[Any], n: int) -> Matrix:
        """The matrix with 1 on its diagonal and 0 elsewhere.
        
        Args:
            dt: type of the components.
            n: rows."""

    def inverse(self) -> Self:
        """The inverse of a square matrix of up to 4 rows."""

    def max(self) -> Any:
        """The greatest component."""

    def min(self) -> Any:
        """The least component."""

    @classmethod
    @overload
    def ndarray(cls, n: int, m: int, dtype: _Type, shape: _Shape, needs_grad: bool=False) -> MatrixNdarray:
        """An ndarray of matrices.
        
        Args:
            n: rows.
            m: columns.
            dtype: type of the components.
            shape: an integer or a tuple of them.
            needs_grad: it has an array `grad`."""

    @classmethod
    @overload
    def ndarray(cls, *, shape: _Shape, needs_grad: bool=False) -> MatrixNdarray:
        """An ndarray of matrices.
        
        Args:
            n: rows.
            m: columns.
            dtype: type of the components.
            shape: an integer or a tuple of them.
            needs_grad: it has an array `grad`."""

    def norm(self, eps: float=0) -> float:
        """The square root of the sum of squares, plus `eps` below the root.
        
        Args:
            eps: a number over 0 keeps derivatives finite at 0."""

    def norm_inv(self, eps: float=0) -> float:
        """1 / norm(eps).
        
        Args:
            eps: as of norm."""

    def norm_sqr(self) -> float:
        """The sum of squares of the components."""

    def normalized(self, eps: float=0) -> Self:
        """The vector divided by its norm, plus `eps`.
        
        Args:
            eps: a number over 0 keeps it finite at 0."""

    @overload
    @staticmethod
    def one(dt: type[Any], n: int) -> Vector:
        """A vector or matrix of ones.
        
        Args:
            dt: type of the components.
            n: rows.
            m: columns; None: a vector."""

    @overload
    @staticmethod
    def one(dt: type[Any], n: int, m: int | None=None) -> Matrix:
        """A vector or matrix of ones.
        
        Args:
            dt: type of the components.
            n: rows.
            m: columns; None: a vector."""

    def outer_product(self, other: Any) -> Matrix:
        """The matrix of the products of a component of this vector, for each row, and one of the other, for each column.
        
        Args:
            other: a vector."""
    p: Any
    q: Any
    r: Any

    @staticmethod
    def rows(rows: Sequence[Any]) -> Matrix:
        """The matrix with these rows.
        
        Args:
            rows: vectors or lists of one length."""
    s: Any

    def sum(self) -> Any:
        """The sum of the components."""
    t: Any

    @classmethod
    def tensor(cls, n: int, m: int, dtype: _Type, shape: _Shape, **keywords: Any) -> MatrixTensor:
        """A tensor of matrices, see `qd.tensor`.
        
        Args:
            n: rows.
            m: columns.
            dtype: type of the components.
            shape: an integer or a tuple of them.
            **keywords: as of `qd.tensor`."""

    def to_list(self) -> list[Any]:
        """The components as a list; of a matrix, a list of rows."""

    def to_numpy(self) -> _Array:
        """The components as a NumPy array."""

    def trace(self) -> Any:
        """The sum of the components on the diagonal."""

    def transpose(self) -> Matrix:
        """The matrix with rows and columns exchanged; of a vector, a matrix of one row."""

    @staticmethod
    def unit(n: int, i: int, dt: type[Any] | None=None) -> Vector:
        """The vector with 1 at place `i` and 0 elsewhere.
        
        Args:
            n: components.
            i: the place.
            dt: their type; None: `default_ip`."""
    w: Any
    x: Any
    y: Any
    z: Any

    @overload
    @staticmethod
    def zero(dt: type[Any], n: int) -> Vector:
        """A vector or matrix of zeros.
        
        Args:
            dt: type of the components.
            n: rows.
            m: columns; None: a vector."""

    @overload
    @staticmethod
    def zero(dt: type[Any], n: int, m: int | None=None) -> Matrix:
        """A vector or matrix of zeros.
        
        Args:
            dt: type of the components.
            n: rows.
            m: columns; None: a vector."""

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
    """A vector of numbers: a Matrix of one column with one index.
    
    Args:
        *args: the components, as one list or one by one; then, if it is given, the type.
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
        """A field of vectors.
        
        Args:
            n: components.
            dtype: their type; a list: of each.
            shape: an integer or a tuple of them; None: it is placed in a tree.
            order: the axes in the order of memory, such as "ji".
            name: how errors and profiles call it.
            offset: the first index of each axis.
            needs_grad: it has a field `grad`.
            needs_dual: it has a field `dual`.
            layout: `qd.Layout.AOS`, components together, or `qd.Layout.SOA`, apart."""

    @classmethod
    @overload
    def field(cls, *, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _VectorsField:
        """A field of vectors.
        
        Args:
            n: components.
            dtype: their type; a list: of each.
            shape: an integer or a tuple of them; None: it is placed in a tree.
            order: the axes in the order of memory, such as "ji".
            name: how errors and profiles call it.
            offset: the first index of each axis.
            needs_grad: it has a field `grad`.
            needs_dual: it has a field `dual`.
            layout: `qd.Layout.AOS`, components together, or `qd.Layout.SOA`, apart."""

    @classmethod
    @overload
    def ndarray(cls, n: int, dtype: _Type, shape: _Shape, needs_grad: bool=False) -> VectorNdarray:
        """An ndarray of vectors.
        
        Args:
            n: components.
            dtype: their type.
            shape: an integer or a tuple of them.
            needs_grad: it has an array `grad`."""

    @classmethod
    @overload
    def ndarray(cls, *, shape: _Shape, needs_grad: bool=False) -> VectorNdarray:
        """An ndarray of vectors.
        
        Args:
            n: components.
            dtype: their type.
            shape: an integer or a tuple of them.
            needs_grad: it has an array `grad`."""

    @classmethod
    def tensor(cls, n: int, dtype: _Type, shape: _Shape, **keywords: Any) -> VectorTensor:
        """A tensor of vectors, see `qd.tensor`.
        
        Args:
            n: components.
            dtype: their type.
            shape: an integer or a tuple of them.
            **keywords: as of `qd.tensor`."""

class Tensor:
    """A field or an ndarray behind one interface. As the annotation of a kernel's parameter: either, or None.
    
    Args:
        impl: the field or ndarray.
    
    Attributes:
        shape: how many elements each axis has.
        dtype: type of the components.
        layout: the axes in the order of memory; None: the last varies fastest.
    
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
            other: of the same shape."""
    dtype: Any

    def fill(self, value: Any) -> None:
        """Every element becomes `value`.
        
        Args:
            value: a number; for vectors and matrices also one such."""

    def from_numpy(self, arr: Any) -> None:
        """Takes the values of a NumPy array.
        
        Args:
            arr: of the shape of the tensor."""

    def from_torch(self, arr: Any) -> None:
        """Takes the values of a torch tensor.
        
        Args:
            arr: of the shape of the tensor."""

    @property
    def grad(self) -> Any:
        """The Tensor of the gradients, or None."""

    def has_dual(self) -> bool:
        """Whether it has tangents."""

    def has_grad(self) -> bool:
        """Whether it has gradients."""
    layout: Any
    shape: tuple[int, ...]

    def to_dlpack(self, versioned: Any=False) -> Any:
        """A DLPack capsule on the memory.
        
        Args:
            versioned: a capsule as of DLPack 1.0."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """The values as a NumPy array.
        
        Args:
            dtype: a NumPy type to convert to; None: as it is.
            copy: True: a copy; False: a view of the memory; None: a view if there can be one."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """The values as a torch tensor.
        
        Args:
            device: where torch has it.
            copy: as of to_numpy."""

    def __dlpack__(self, **keywords: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

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
    """Storage with an element type and a shape. In kernels `x[i, j]` reads and writes it; in Python too, one element at a time.
    
    Attributes:
        shape: how many elements each axis has.
        dtype: type of the components.
        layout: order of the components in memory.
        snode: the level that it is placed in.
        grad: the field of its gradients; None: it has none.
        dual: the field of its tangents, for `qd.ad.FwdMode`; None: it has none.
        name: how errors call it.
    
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
        """Takes the values of another field.
        
        Args:
            other: a field of the same shape.
        
        Raises:
            ValueError: the shapes differ."""
    dtype: Any

    def fill(self, val: Any) -> None:
        """Every element becomes `val`; in a sparse tree, every element that is active.
        
        Args:
            val: a number; for vectors and matrices also one such."""

    def from_numpy(self, arr: Any) -> None:
        """Takes the values of a NumPy array; in a sparse tree, those of elements that are active. Numbers are converted to the type of the
        field; where whole numbers lose their value by that there is a warning.
        
        Args:
            arr: of the shape of the field; of vectors and matrices, with their axes at the end.
        
        Raises:
            ValueError: the shapes differ."""

    def from_torch(self, arr: Any) -> None:
        """Takes the values of a torch tensor.
        
        Args:
            arr: of the shape that from_numpy wants.
        
        Raises:
            ValueError: the shapes differ."""

    def has_dual(self) -> bool:
        """Whether the field has a `dual`."""

    def has_grad(self) -> bool:
        """Whether the field has a `grad`."""
    layout: Any

    def parent(self, n: int=1) -> SNode:
        """The n-th level above the elements.
        
        Args:
            n: 1: the level that holds them."""
    shape: tuple[int, ...]
    snode: SNode

    def to_dlpack(self, versioned: Any=False) -> Any:
        """A DLPack capsule on the memory of the field.
        
        Args:
            versioned: a capsule as of DLPack 1.0.
        
        Raises:
            ValueError: its memory is not that of one array."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """The values as a NumPy array; vectors and matrices add axes at the end.
        
        Args:
            dtype: a NumPy type to convert to; None: as it is.
            copy: True: a copy; False: a view of the memory, or an error; None: a view if there can be one."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """The values as a torch tensor.
        
        Args:
            device: where torch has it; None: where the field is.
            copy: as of to_numpy."""

    def __dlpack__(self, **keywords: Any) -> Any: ...

    def __dlpack_device__(self) -> Any: ...

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...
    grad: Any
    dual: Any
    name: str

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

class ScalarField(Field):
    """Field of scalars, as `qd.field(qd.f32, shape=...)` makes it.
    
    Example:
        >>> isinstance(qd.field(qd.f32, shape=2), qd.ScalarField)
        True"""

    def __getitem__(self, key: Any) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...
    grad: ScalarField
    dual: ScalarField

class MatrixField(Field):
    """Field of vectors or matrices, as `qd.Vector.field` and `qd.Matrix.field` make it.
    
    Attributes:
        n: rows of an element.
        m: columns; 1 of vectors.
    
    Args:
        n: rows.
        m: columns.
        ndim: indices of an element.
        dtype: type of the components.
        name: how errors call it.
        members: its fields of components.
        layout: AOS or SOA.
    
    Example:
        >>> v = qd.Vector.field(3, qd.f32, shape=2)
        >>> v[0] = [1.0, 2.0, 3.0]
        >>> v.get_scalar_field(1)[0]
        2.0"""

    def __init__(self, n: Any, m: Any, ndim: Any, dtype: Any, name: Any, members: Any, layout: Any) -> None: ...

    def get_scalar_field(self, *indices: int) -> ScalarField:
        """The field of one component.
        
        Args:
            *indices: those of the component."""

    def to_numpy(self, keep_dims: bool=False, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """As of a field.
        
        Args:
            keep_dims: vectors have a last axis of extent 1, as matrices of one column.
            dtype: a NumPy type to convert to; None: as it is.
            copy: True: a copy; False: a view of the memory, or an error; None: a view if there can be one."""

    def to_torch(self, device: Any=None, keep_dims: Any=False, *, copy: Any=True) -> Any:
        """As of a field.
        
        Args:
            device: where torch has it.
            keep_dims: as of to_numpy.
            copy: as of to_numpy."""

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
    """Field of structs: one field per member, stored together (AOS) or apart (SOA). `f.member` is the field of a member.
    
    Args:
        struct_type: what `qd.types.struct` or `@qd.dataclass` made.
        fields: those of the members, by name.
        layout: AOS or SOA.
    
    Attributes:
        shape: how many elements each axis has.
        keys: names of the members.
        dtype: the struct type.
        layout: order of the members in memory.
        snode: the level that it is placed in.
        grad: the struct of the gradients of its members.
        dual: the struct of their tangents.
    
    Example:
        >>> f = qd.Struct.field({"x": qd.f32, "n": qd.i32}, shape=3)
        >>> f.n.fill(2)
        >>> (f[0].n, sorted(f.to_numpy()))
        (2, ['n', 'x'])"""

    def __init__(self, struct_type: Any, fields: Any, layout: Any) -> None: ...

    def copy_from(self, other: Any) -> None:
        """Takes the values of another field of the same struct type and shape.
        
        Args:
            other: that field."""
    dtype: Any

    def fill(self, val: Any) -> None:
        """Every element becomes the struct or dict `val`, or every member the number `val`.
        
        Args:
            val: a struct, a dict or a number."""

    def from_numpy(self, array_dict: dict[str, Any]) -> None:
        """Takes the values of NumPy arrays.
        
        Args:
            array_dict: member -> array of the shape that the member's field wants."""

    def from_torch(self, array_dict: dict[str, Any]) -> None:
        """Takes the values of torch tensors.
        
        Args:
            array_dict: member -> tensor of the shape that the member's field wants."""

    def get_member_field(self, key: Any) -> Any:
        """The field of one member.
        
        Args:
            key: the name of the member."""

    def has_dual(self) -> bool:
        """Whether its members have a `dual`."""

    def has_grad(self) -> bool:
        """Whether its members have a `grad`."""
    keys: list[str]
    layout: Any

    def parent(self, n: int=1) -> SNode:
        """The n-th level above the elements.
        
        Args:
            n: 1: the level that holds them."""
    shape: tuple[int, ...]
    snode: SNode

    def to_dlpack(self, versioned: Any=False) -> Any:
        """Refuses: a struct is no array; its members are.
        
        Args:
            versioned: as of a field."""

    def to_numpy(self, *, copy: bool | None=True) -> dict[str, Any]:
        """The values of the members, by name, as NumPy arrays.
        
        Args:
            copy: as of other fields."""

    def to_torch(self, device: Any=None, *, copy: bool | None=True) -> dict[str, Any]:
        """The values of the members, by name, as torch tensors.
        
        Args:
            device: where torch has them.
            copy: as of other fields."""
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
    """A record in Python scope: members by attribute or key. In a kernel `qd.Struct(a=1, b=v)` makes a struct value.
    
    Args:
        *args: one dict of the members.
        **entries: the members by name.
    
    Attributes:
        entries: the members in a dict.
        keys: their names.
        items: (name, value) of each.
        methods: functions that belong to it, by name.
    
    Example:
        >>> s = qd.Struct(a=1, b=qd.Vector([1.0, 2.0]))
        >>> (s.a, s["b"], s.to_dict())
        (1, [1. 2.], {'a': 1, 'b': [1.0, 2.0]})"""

    def __init__(self, *args: Any, **entries: Any) -> None: ...
    entries: dict[str, Any]

    @staticmethod
    def field(members: dict[str, Any], methods: dict[str, Any]=..., shape: _Shape | None=None, name: str='<Struct>', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=..., order: str | None=None) -> StructField:
        """A field of structs with these members.
        
        Args:
            members: name -> type.
            methods: name -> func.
            shape: an integer or a tuple of them; None: it is placed in a tree.
            name: how errors call it.
            offset: the first index of each axis.
            needs_grad: its members of floats have fields `grad`.
            needs_dual: likewise `dual`.
            layout: `qd.Layout.AOS`, members together, or `qd.Layout.SOA`, apart.
            order: the axes in the order of memory."""
    items: Any
    keys: Any
    methods: dict[str, Any]

    def to_dict(self, include_methods: bool=False, include_ndim: bool=False) -> dict[str, Any]:
        """The members as a dict: structs as dicts, vectors and matrices as lists.
        
        Args:
            include_methods: with the methods, under `__struct_methods`.
            include_ndim: with the number of indices of vectors and matrices."""

    def __getattr__(self, name: str, /) -> Any: ...

    def __setattr__(self, name: str, value: Any, /) -> None: ...

    def __getitem__(self, name: str, /) -> Any: ...

    def __setitem__(self, name: str, value: Any, /) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...

    def __len__(self) -> int: ...

class Ndarray(Tensor):
    """Contiguous array of scalars, vectors or matrices. In Python `x[i, j]` reads and writes one element; NumPy and torch take it as it
    is, through `__array__` and DLPack.
    
    Attributes:
        shape: how many elements each axis has.
        dtype: type of the components.
        element_shape: `()` of scalars, (n,) of vectors, (n, m) of matrices.
        layout: order of the components in memory.
        grad: the array of its gradients; None: it has none.
        dual: None: arrays have no tangents.
    
    Example:
        >>> x = qd.Vector.ndarray(2, qd.f32, shape=3)
        >>> x[0] = [1.0, 2.0]
        >>> (x.shape, x.element_shape, len(x), x[0])
        ((3,), (2,), 3, [1. 2.])"""

    def copy_from(self, other: Any) -> None:
        """Copies the values of another ndarray.
        
        Args:
            other: of the same shape and element type."""
    element_shape: tuple[int, ...]

    def fill(self, val: Any) -> None:
        """Every element becomes `val`.
        
        Args:
            val: a number; for vectors and matrices also one such."""

    def get_type(self) -> Any:
        """The description of its elements: dtype, shape of an element and layout."""

    def has_dual(self) -> bool:
        """False: arrays have no tangents."""

    def has_grad(self) -> bool:
        """Whether it has an array `grad`."""
    layout: Any
    shape: tuple[int, ...]

    def to_dlpack(self, versioned: Any=False) -> Any:
        """A DLPack capsule on the memory of the array.
        
        Args:
            versioned: a capsule as of DLPack 1.0."""

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
    """Array of scalars, as `qd.ndarray(qd.f32, shape)` makes it.
    
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
        """Takes the values of a NumPy array. Numbers are converted to the type of the array; where whole numbers lose their value by
        that there is a warning.
        
        Args:
            arr: of the shape of the array; of vectors and matrices, with their axes at the end.
        
        Raises:
            ValueError: the shapes differ."""

    def from_torch(self, arr: Any) -> Any:
        """Takes the values of a torch tensor.
        
        Args:
            arr: of the shape that from_numpy wants."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """The values as a NumPy array.
        
        Args:
            dtype: a NumPy type to convert to; None: as it is.
            copy: True: a copy; False: a view of the memory; None: a view if there can be one."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """The values as a torch tensor.
        
        Args:
            device: where torch has it; None: where the array is.
            copy: as of to_numpy."""

    def __getitem__(self, key: Any) -> Any: ...

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __iter__(self) -> Iterator[Any]: ...
    grad: ScalarNdarray

class VectorNdarray(Ndarray):
    """Array of vectors, as `qd.Vector.ndarray` makes it.
    
    Args:
        n: components.
        dtype: their type.
        shape: a tuple of integers.
    
    Example:
        >>> qd.VectorNdarray(3, qd.f32, (2,)).to_numpy().shape
        (2, 3)"""

    def __init__(self, n: Any, dtype: Any, shape: Any) -> None: ...

    def from_numpy(self, arr: Any) -> Any:
        """Takes the values of a NumPy array. Numbers are converted to the type of the array; where whole numbers lose their value by
        that there is a warning.
        
        Args:
            arr: of the shape of the array; of vectors and matrices, with their axes at the end.
        
        Raises:
            ValueError: the shapes differ."""

    def from_torch(self, arr: Any) -> Any:
        """Takes the values of a torch tensor.
        
        Args:
            arr: of the shape that from_numpy wants."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """The values as a NumPy array.
        
        Args:
            dtype: a NumPy type to convert to; None: as it is.
            copy: True: a copy; False: a view of the memory; None: a view if there can be one."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """The values as a torch tensor.
        
        Args:
            device: where torch has it; None: where the array is.
            copy: as of to_numpy."""

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...
    grad: VectorNdarray

    def __getitem__(self, key: Any, /) -> Vector: ...

class MatrixNdarray(Ndarray):
    """Array of matrices, as `qd.Matrix.ndarray` makes it.
    
    Args:
        n: rows.
        m: columns.
        dtype: type of the components.
        shape: a tuple of integers.
    
    Example:
        >>> qd.MatrixNdarray(2, 3, qd.f32, (4,)).to_numpy().shape
        (4, 2, 3)"""

    def __init__(self, n: Any, m: Any, dtype: Any, shape: Any) -> None: ...

    def from_numpy(self, arr: Any) -> Any:
        """Takes the values of a NumPy array. Numbers are converted to the type of the array; where whole numbers lose their value by
        that there is a warning.
        
        Args:
            arr: of the shape of the array; of vectors and matrices, with their axes at the end.
        
        Raises:
            ValueError: the shapes differ."""

    def from_torch(self, arr: Any) -> Any:
        """Takes the values of a torch tensor.
        
        Args:
            arr: of the shape that from_numpy wants."""

    def to_numpy(self, dtype: Any=None, *, copy: bool | None=True) -> _Array:
        """The values as a NumPy array.
        
        Args:
            dtype: a NumPy type to convert to; None: as it is.
            copy: True: a copy; False: a view of the memory; None: a view if there can be one."""

    def to_torch(self, device: Any=None, *, copy: Any=True) -> Any:
        """The values as a torch tensor.
        
        Args:
            device: where torch has it; None: where the array is.
            copy: as of to_numpy."""

    def __array__(self, dtype: Any=None, copy: Any=None) -> Any: ...

    def __setitem__(self, key: Any, value: Any) -> None: ...

    def __iter__(self) -> Iterator[Any]: ...
    grad: MatrixNdarray

    def __getitem__(self, key: Any, /) -> Matrix: ...

@overload
def field(dtype: type[_StructOf[_T]], shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout | None=None) -> _FieldOf[_T]:
    """A field: storage with an element type and a shape that kernels read and write as globals or template arguments.
    
    Args:
        dtype: a number type, or a vector, matrix, struct or quant type, or a class decorated with `@qd.dataclass`.
        shape: an integer or a tuple of them; `()`: one element. None: it is placed in a tree (`qd.root.dense(...).place(x)`).
        order: the axes in the order of memory, such as "ji"; None: the last varies fastest.
        name: how errors and profiles call it.
        offset: the first index of each axis, if it is not 0.
        needs_grad: it has a field `grad` of the same shape.
        needs_dual: it has a field `dual`, for `qd.ad.FwdMode`.
        layout: of vectors, matrices and structs: `qd.Layout.AOS` (members together) or `qd.Layout.SOA` (apart).
    
    Returns:
        A ScalarField, MatrixField or StructField, full of zeros.
    
    Raises:
        QuadrantsRuntimeError: no program runs that could hold it, an extent is not positive, or it does not fit in memory. TypeError,
        QuadrantsTypeError: a shape or type that no field can have.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(2, 3))
        >>> x[1, 2] = 5.0
        >>> x.to_numpy().sum()
        np.float32(5.0)"""

@overload
def field(dtype: type[Vector] | types._VectorType, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _VectorsField:
    """A field: storage with an element type and a shape that kernels read and write as globals or template arguments.
    
    Args:
        dtype: a number type, or a vector, matrix, struct or quant type, or a class decorated with `@qd.dataclass`.
        shape: an integer or a tuple of them; `()`: one element. None: it is placed in a tree (`qd.root.dense(...).place(x)`).
        order: the axes in the order of memory, such as "ji"; None: the last varies fastest.
        name: how errors and profiles call it.
        offset: the first index of each axis, if it is not 0.
        needs_grad: it has a field `grad` of the same shape.
        needs_dual: it has a field `dual`, for `qd.ad.FwdMode`.
        layout: of vectors, matrices and structs: `qd.Layout.AOS` (members together) or `qd.Layout.SOA` (apart).
    
    Returns:
        A ScalarField, MatrixField or StructField, full of zeros.
    
    Raises:
        QuadrantsRuntimeError: no program runs that could hold it, an extent is not positive, or it does not fit in memory. TypeError,
        QuadrantsTypeError: a shape or type that no field can have.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(2, 3))
        >>> x[1, 2] = 5.0
        >>> x.to_numpy().sum()
        np.float32(5.0)"""

@overload
def field(dtype: type[Matrix] | types.MatrixType, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout=...) -> _MatricesField:
    """A field: storage with an element type and a shape that kernels read and write as globals or template arguments.
    
    Args:
        dtype: a number type, or a vector, matrix, struct or quant type, or a class decorated with `@qd.dataclass`.
        shape: an integer or a tuple of them; `()`: one element. None: it is placed in a tree (`qd.root.dense(...).place(x)`).
        order: the axes in the order of memory, such as "ji"; None: the last varies fastest.
        name: how errors and profiles call it.
        offset: the first index of each axis, if it is not 0.
        needs_grad: it has a field `grad` of the same shape.
        needs_dual: it has a field `dual`, for `qd.ad.FwdMode`.
        layout: of vectors, matrices and structs: `qd.Layout.AOS` (members together) or `qd.Layout.SOA` (apart).
    
    Returns:
        A ScalarField, MatrixField or StructField, full of zeros.
    
    Raises:
        QuadrantsRuntimeError: no program runs that could hold it, an extent is not positive, or it does not fit in memory. TypeError,
        QuadrantsTypeError: a shape or type that no field can have.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(2, 3))
        >>> x[1, 2] = 5.0
        >>> x.to_numpy().sum()
        np.float32(5.0)"""

@overload
def field(dtype: types.StructType, shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False, layout: Layout | None=None) -> StructField:
    """A field: storage with an element type and a shape that kernels read and write as globals or template arguments.
    
    Args:
        dtype: a number type, or a vector, matrix, struct or quant type, or a class decorated with `@qd.dataclass`.
        shape: an integer or a tuple of them; `()`: one element. None: it is placed in a tree (`qd.root.dense(...).place(x)`).
        order: the axes in the order of memory, such as "ji"; None: the last varies fastest.
        name: how errors and profiles call it.
        offset: the first index of each axis, if it is not 0.
        needs_grad: it has a field `grad` of the same shape.
        needs_dual: it has a field `dual`, for `qd.ad.FwdMode`.
        layout: of vectors, matrices and structs: `qd.Layout.AOS` (members together) or `qd.Layout.SOA` (apart).
    
    Returns:
        A ScalarField, MatrixField or StructField, full of zeros.
    
    Raises:
        QuadrantsRuntimeError: no program runs that could hold it, an extent is not positive, or it does not fit in memory. TypeError,
        QuadrantsTypeError: a shape or type that no field can have.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(2, 3))
        >>> x[1, 2] = 5.0
        >>> x.to_numpy().sum()
        np.float32(5.0)"""

@overload
def field(dtype: type[Any] | np.dtype[Any], shape: _Shape | None=None, order: str | None=None, name: str='', offset: _Shape | None=None, needs_grad: bool=False, needs_dual: bool=False) -> ScalarField:
    """A field: storage with an element type and a shape that kernels read and write as globals or template arguments.
    
    Args:
        dtype: a number type, or a vector, matrix, struct or quant type, or a class decorated with `@qd.dataclass`.
        shape: an integer or a tuple of them; `()`: one element. None: it is placed in a tree (`qd.root.dense(...).place(x)`).
        order: the axes in the order of memory, such as "ji"; None: the last varies fastest.
        name: how errors and profiles call it.
        offset: the first index of each axis, if it is not 0.
        needs_grad: it has a field `grad` of the same shape.
        needs_dual: it has a field `dual`, for `qd.ad.FwdMode`.
        layout: of vectors, matrices and structs: `qd.Layout.AOS` (members together) or `qd.Layout.SOA` (apart).
    
    Returns:
        A ScalarField, MatrixField or StructField, full of zeros.
    
    Raises:
        QuadrantsRuntimeError: no program runs that could hold it, an extent is not positive, or it does not fit in memory. TypeError,
        QuadrantsTypeError: a shape or type that no field can have.
    
    Example:
        >>> x = qd.field(qd.f32, shape=(2, 3))
        >>> x[1, 2] = 5.0
        >>> x.to_numpy().sum()
        np.float32(5.0)"""

@overload
def ndarray(dtype: type[Vector] | types._VectorType, shape: _Shape, needs_grad: bool=False, *, _layout: Any=None) -> VectorNdarray:
    """An array of `shape` in one piece of memory, filled with zeros. Kernels take it as an argument: `x: qd.types.NDArray[qd.f32, 2]`.
    
    Args:
        dtype: a number type, or a vector or matrix type.
        shape: an integer or a tuple of them.
        needs_grad: it has an array `grad` of the same shape.
    
    Returns:
        A ScalarNdarray, VectorNdarray or MatrixNdarray.
    
    Raises:
        QuadrantsRuntimeError: no program runs, or a shape that no array can have. QuadrantsTypeError: a type that no array can have.
    
    Example:
        >>> x = qd.ndarray(qd.i32, shape=3)
        >>> x.fill(2)
        >>> x.to_numpy()
        array([2, 2, 2], dtype=int32)"""

@overload
def ndarray(dtype: type[Matrix] | types.MatrixType, shape: _Shape, needs_grad: bool=False, *, _layout: Any=None) -> MatrixNdarray:
    """An array of `shape` in one piece of memory, filled with zeros. Kernels take it as an argument: `x: qd.types.NDArray[qd.f32, 2]`.
    
    Args:
        dtype: a number type, or a vector or matrix type.
        shape: an integer or a tuple of them.
        needs_grad: it has an array `grad` of the same shape.
    
    Returns:
        A ScalarNdarray, VectorNdarray or MatrixNdarray.
    
    Raises:
        QuadrantsRuntimeError: no program runs, or a shape that no array can have. QuadrantsTypeError: a type that no array can have.
    
    Example:
        >>> x = qd.ndarray(qd.i32, shape=3)
        >>> x.fill(2)
        >>> x.to_numpy()
        array([2, 2, 2], dtype=int32)"""

@overload
def ndarray(dtype: type[Any] | np.dtype[Any], shape: _Shape, needs_grad: bool=False, *, _layout: Any=None) -> ScalarNdarray:
    """An array of `shape` in one piece of memory, filled with zeros. Kernels take it as an argument: `x: qd.types.NDArray[qd.f32, 2]`.
    
    Args:
        dtype: a number type, or a vector or matrix type.
        shape: an integer or a tuple of them.
        needs_grad: it has an array `grad` of the same shape.
    
    Returns:
        A ScalarNdarray, VectorNdarray or MatrixNdarray.
    
    Raises:
        QuadrantsRuntimeError: no program runs, or a shape that no array can have. QuadrantsTypeError: a type that no array can have.
    
    Example:
        >>> x = qd.ndarray(qd.i32, shape=3)
        >>> x.fill(2)
        >>> x.to_numpy()
        array([2, 2, 2], dtype=int32)"""

def tensor(dtype: _Type, shape: _Shape, *, backend: Backend=..., layout: Any=None, needs_grad: bool=False, **keywords: Any) -> Tensor:
    """A tensor of scalars, vectors or matrices in a field or in an ndarray: the program does not say which until here.
    
    Args:
        dtype: a number type, or a vector or matrix type.
        shape: an integer or a tuple of them.
        backend: `qd.Backend.NDARRAY` or `qd.Backend.FIELD`.
        layout: the axes in the order of memory, as numbers; None: the last varies fastest.
        needs_grad: it has gradients.
        **keywords: further arguments of `qd.field` or `qd.ndarray`.
    
    Returns:
        A Tensor, VectorTensor or MatrixTensor.
    
    Raises:
        ValueError: a layout that is no permutation of the axes.
    
    Example:
        >>> t = qd.tensor(qd.f32, shape=(2, 2), backend=qd.Backend.NDARRAY)
        >>> t.shape
        (2, 2)"""

def wrap(impl: Any) -> Tensor:
    """The Tensor of a field or ndarray.
    
    Args:
        impl: a field or an ndarray; a Tensor is given back as it is.
    
    Returns:
        A Tensor.
    
    Raises:
        TypeError: it is neither.
    
    Example:
        >>> qd.wrap(qd.ndarray(qd.f32, 3)).shape
        (3,)"""

class SNode:
    """A level of a tree: cells that hold further levels and field members. `qd.root` is the top of the first tree; each method makes a
    level below and gives it.
    
    Args:
        builder: the tree.
        parent: the level above.
        kind: what it is.
        levels: extent along each axis.
        chunk: of dynamic levels.
    
    Attributes:
        shape: how many cells each axis has, with those of the levels above.
        ptr: what the core knows it by.
    
    Example:
        >>> x = qd.field(qd.f32)
        >>> blocks = qd.root.pointer(qd.ij, 4)
        >>> _ = blocks.dense(qd.ij, 8).place(x)
        >>> x[3, 5] = 1.0
        >>> (x.shape, blocks.shape)
        ((32, 32), (4, 4))"""

    def __init__(self, builder: Any, parent: Any, kind: Any, levels: Any, chunk: Any=0) -> None: ...

    def bitmasked(self, axes: _Axes, dimensions: _Shape) -> SNode:
        """A level below: dense: all cells are there; pointer: a cell gets memory when it is written to or activated; bitmasked: all are
        there, each marked as active or not.
        
        Args:
            axes: such as `qd.ij`.
            dimensions: how many cells along each of them, an integer or a tuple."""

    def deactivate_all(self) -> None:
        """Deactivates every cell of this level and of those below."""

    def dense(self, axes: _Axes, dimensions: _Shape) -> SNode:
        """A level below: dense: all cells are there; pointer: a cell gets memory when it is written to or activated; bitmasked: all are
        there, each marked as active or not.
        
        Args:
            axes: such as `qd.ij`.
            dimensions: how many cells along each of them, an integer or a tuple."""

    def dynamic(self, axis: _Axes, dimension: int, chunk_size: int | None=None) -> SNode:
        """A level of variable length along one axis; memory comes in chunks. Values are put at its end by `qd.append`.
        
        Args:
            axis: such as `qd.i`.
            dimension: most values.
            chunk_size: values of a chunk; None: chosen."""

    def lazy_dual(self) -> None:
        """Places the duals of all fields of real numbers below this level beside them."""

    def lazy_grad(self) -> None:
        """Places the gradients of all fields of real numbers below this level beside them."""

    def parent(self, n: int=1) -> SNode:
        """The level above; `qd.root` at the top, None beyond.
        
        Args:
            n: how many levels up."""

    def place(self, *fields: Any, offset: _Shape | None=None) -> SNode:
        """Puts fields into the cells of this level.
        
        Args:
            *fields: fields without a shape.
            offset: the first index of each axis."""

    def pointer(self, axes: _Axes, dimensions: _Shape) -> SNode:
        """A level below: dense: all cells are there; pointer: a cell gets memory when it is written to or activated; bitmasked: all are
        there, each marked as active or not.
        
        Args:
            axes: such as `qd.ij`.
            dimensions: how many cells along each of them, an integer or a tuple."""

    def quant_array(self, axes: _Axes, dimensions: _Shape, max_num_bits: int) -> SNode:
        """A level whose cells, numbers of a quant type, share one word.
        
        Args:
            axes: such as `qd.i`.
            dimensions: how many along each of them.
            max_num_bits: bits of the word: 8, 16, 32 or 64."""
    shape: tuple[int, ...]
    ptr: Any

    def __iter__(self) -> Iterator[Any]: ...

class _Root(SNode):
    """The root of the trees of fields."""

    def __getattr__(self, name: str, /) -> Any: ...
root: _Root
cfg: _Config

class FieldsBuilder:
    """A tree of its own beside qd.root, which can be destroyed while the program runs. Its methods are those of levels.
    
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
        """A level below the root, as `SNode` has it.
        
        Args:
            indices: axes such as `qd.ij`.
            dimensions: how many cells along each of them."""

    def deactivate_all(self) -> None:
        """Deactivates every cell of the tree."""

    def dense(self, indices: _Axes, dimensions: _Shape) -> SNode:
        """A level below the root, as `SNode` has it.
        
        Args:
            indices: axes such as `qd.ij`.
            dimensions: how many cells along each of them."""

    def dynamic(self, index: _Axes, dimension: int, chunk_size: int | None=None) -> SNode:
        """A level of variable length below the root.
        
        Args:
            index: an axis such as `qd.i`.
            dimension: most values.
            chunk_size: values of a chunk; None: chosen."""

    def finalize(self, raise_warning: bool=True) -> Any:
        """Gives the tree its memory.
        
        Args:
            raise_warning: warn if the tree holds nothing.
        
        Returns:
            An object whose `destroy()` gives the memory back."""

    def lazy_dual(self) -> Any:
        """Places the duals of all fields of real numbers of the tree beside them."""

    def lazy_grad(self) -> Any:
        """Places the gradients of all fields of real numbers of the tree beside them."""

    def place(self, *args: Any, offset: _Shape | None=None) -> Any:
        """Puts fields of one element into the root.
        
        Args:
            *args: fields without a shape.
            offset: of the indices."""

    def pointer(self, indices: _Axes, dimensions: _Shape) -> SNode:
        """A level below the root, as `SNode` has it.
        
        Args:
            indices: axes such as `qd.ij`.
            dimensions: how many cells along each of them."""

    def quant_array(self, indices: _Axes, dimensions: _Shape, max_num_bits: int) -> SNode:
        """A level whose cells, numbers of a quant type, share one word.
        
        Args:
            indices: axes such as `qd.i`.
            dimensions: how many along each of them.
            max_num_bits: bits of the word."""

def axes(*numbers: int) -> list[Any]:
    """Axes by number: `qd.axes(0, 1)` is `qd.ij`.
    
    Args:
        *numbers: integers from 0 on, each once.
    
    Returns:
        A list of axes, for levels of trees.
    
    Example:
        >>> x = qd.field(qd.f32)
        >>> _ = qd.root.dense(qd.axes(0, 1), (2, 3)).place(x)
        >>> x.shape
        (2, 3)"""

def deactivate_all_snodes() -> None:
    """Deactivates every cell of every tree: sparse fields read as zeros.
    
    Example:
        >>> qd.deactivate_all_snodes()"""

class Stream:
    """A queue of launches: `kernel(..., qd_stream=stream)`. As a context manager it is destroyed at the end. On the CPU a launch is done
    when the call returns.
    
    Args:
        handle: what the device knows it by; 0: none. `qd.create_stream()` makes streams.
    
    Attributes:
        handle: likewise.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return 1
        >>> with qd.create_stream() as s:
        ...     f(qd_stream=s)
        1"""

    def __init__(self, handle: Any=0) -> None: ...

    def destroy(self) -> None:
        """Gives back what it holds of the device. Doing so twice, or after qd.reset(), is nothing."""

    def synchronize(self) -> None:
        """Returns when what was launched before is done: at once on the CPU."""
    handle: int

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: Any) -> None: ...

class Event:
    """A point in the order of launches.
    
    Args:
        handle: what the device knows it by; 0: none. `qd.create_event()` makes events.
    
    Attributes:
        handle: likewise.
    
    Example:
        >>> with qd.create_event() as e:
        ...     e.record()
        ...     e.synchronize()"""

    def __init__(self, handle: Any=0) -> None: ...

    def destroy(self) -> None:
        """Gives back what it holds of the device. Doing so twice, or after qd.reset(), is nothing."""

    def record(self, qd_stream: Stream | None=None, *, stream: Any=None) -> None:
        """Marks the end of what was launched on the stream so far.
        
        Args:
            qd_stream: a stream; None: the one of launches that name none.
            stream: the same, by its other name."""

    def synchronize(self) -> None:
        """Returns when what was launched before is done: at once on the CPU."""

    def wait(self, qd_stream: Stream | None=None, *, stream: Any=None) -> None:
        """What is launched on the stream from now on begins after the event.
        
        Args:
            qd_stream: a stream; None: the one of launches that name none.
            stream: the same, by its other name."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *args: Any) -> None: ...
    handle: int

def checkpoint(cp_id: Any, yield_on: Any) -> _Block:
    """`with qd.checkpoint(cp_id, yield_on=flag):` in a kernel with checkpoints=True: what a launch ends after if the array `flag` is not
    0 then, and where `kernel.resume(..., from_checkpoint=cp_id)` begins. Experimental: names and rules may change.
    
    Args:
        cp_id: the label of the block: a number or the value of an IntEnum that no other block has.
        yield_on: an array of one i32.
    
    Example:
        >>> @qd.kernel(graph=True, checkpoints=True)
        ... def f(x: qd.types.NDArray[qd.i32, 1], flag: qd.types.NDArray[qd.i32, 0]):
        ...     with qd.checkpoint(1, yield_on=flag):
        ...         for i in x:
        ...             x[i] = i
        >>> f(qd.ndarray(qd.i32, 4), qd.ndarray(qd.i32, ())).yielded
        False"""

def graph_do_while(condition: Any) -> bool:
    """`while qd.graph.do_while(flag):` in a kernel with graph=True runs its body once, and again as long as the array `flag` is not 0
    after it. In Python it is True.
    
    Args:
        condition: a parameter of the kernel, an array of one i32.
    
    Returns:
        In Python, True.
    
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
    """`with qd.graph.parallel():` in a kernel: one of the blocks of a `qd.graph.parallel_context()`.
    
    Example:
        See `qd.graph.parallel_context`."""

def graph_parallel_context() -> _Block:
    """`with qd.graph.parallel_context():` in a kernel with graph=True holds blocks of `qd.graph.parallel()` that do not depend on each
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
    """A stream of the running program, see `qd.Stream`.
    
    Returns:
        A Stream.
    
    Example:
        >>> with qd.create_stream() as s:
        ...     s.synchronize()"""

def create_event() -> Event:
    """An event of the running program, see `qd.Event`.
    
    Returns:
        An Event.
    
    Example:
        >>> with qd.create_event() as e:
        ...     e.record()"""

def stream_parallel() -> _Block:
    """`with qd.stream_parallel():` in a kernel holds what may run beside the kernel's other blocks of this kind. On the CPU they run one
    after another; in Python the block runs as it stands.
    
    Raises:
        QuadrantsSyntaxError: it stands inside of a loop or branch, or beside statements that are in no such block.
    
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
    """What a launch of a kernel with `qd.checkpoint` blocks gives. Experimental, as these are.
    
    Args:
        yielded: whether a checkpoint ended the launch.
        checkpoint: its label, or None.
    
    Attributes:
        yielded: likewise.
        checkpoint: likewise.
    
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
    """Makes meshes: `qd.Mesh.generate_meta(data)` describes one, `qd.Mesh._create_instance(metadata)` builds it.
    
    Example:
        >>> qd.Mesh.load_meta("missing.json")
        Traceback (most recent call last):
        FileNotFoundError: [Errno 2] No such file or directory: 'missing.json'"""

    @staticmethod
    def generate_meta(data: Any) -> Any:
        """Metadata from what a patcher gives, or from index arrays.
        
        Args:
            data: see MeshMetadata."""

    @staticmethod
    def load_meta(filename: Any) -> Any:
        """Metadata from a file that a patcher wrote, in JSON.
        
        Args:
            filename: its path."""

    @staticmethod
    def _create_instance(metadata: Any) -> MeshInstance: ...

class MeshInstance:
    """A mesh.
    
    Args:
        metadata: what `qd.Mesh.generate_meta` gives.
    
    Attributes:
        verts, edges, faces, cells: its elements; `place({"x": qd.math.vec3})` gives them attributes, and kernels loop over them.
    
    Example:
        See the tests of meshes: tests/python/storage/test_meshes.py."""

    def __init__(self, metadata: Any) -> None: ...

    def get_position_as_numpy(self) -> _Array:
        """Positions of the vertices as the metadata gives them, one row each."""
    verts: Any
    edges: Any
    faces: Any
    cells: Any

    def __getattr__(self, name: str, /) -> Any: ...

class BitpackedFields:
    """Fields of quant types that share the bits of one word; placed in a level like a field.
    
    Args:
        max_num_bits: bits of the word: 8, 16, 32 or 64.
    
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
        """Gives the next bits of the word to these fields.
        
        Args:
            *args: fields of quant types.
            shared_exponent: they have one exponent for all."""

class BufferView:
    """`size` elements of an array from `offset` on, passed to kernels as one argument; `view[i]` is element offset + i.
    
    Args:
        arr: an ndarray with one axis.
        offset: the first element.
        size: how many.
    
    Attributes:
        shape: (size,).
        element: type of the elements.
        boundary: what an index outside means, as of `qd.types.ndarray`.
    
    Raises:
        ValueError: it does not lie within the array.
    
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
        """The array that it is a view of."""
    shape: Any

    def subview(self, offset: int, size: int) -> BufferView:
        """A part of this view.
        
        Args:
            offset: from this element of the view on.
            size: how many."""

    def __class_getitem__(cls, dtype: Any) -> Any: ...

    def __getitem__(self, key: Any, /) -> Any: ...

    def __setitem__(self, key: Any, value: Any, /) -> None: ...

    def __getattr__(self, name: str, /) -> Any: ...

def grouped(x: Any) -> Iterable[Vector]:
    """Loops over the indices as one vector: a kernel for any number of axes.
    
    Args:
        x: a field, an array or `qd.ndrange(...)`.
    
    Returns:
        An iterable of vectors of integers.
    
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
    """The product of ranges: `for i, j in qd.ndrange(4, (2, 6))`. At the top of a kernel, all of it is one parallel loop.
    
    Args:
        *args: an extent, or (begin, end), for each index.
        axes: the order in which the indices vary, the slowest first; None: as they are written.
    
    Returns:
        An iterable of tuples of integers.
    
    Raises:
        QuadrantsTypeError: a bound is no integer. QuadrantsSyntaxError: `axes` is no permutation.
    
    Example:
        >>> list(qd.ndrange(2, (1, 3)))
        [(0, 1), (0, 2), (1, 1), (1, 2)]"""

@overload
def static(x: _T) -> _T:
    """Evaluates while the kernel is compiled. `for i in qd.static(range(3))` is unrolled, `if qd.static(flag)` keeps one branch.
    
    Args:
        x: an expression of constants, or what a loop goes over.
        *xs: more of them; the result is a tuple then.
    
    Returns:
        In Python, what it was given.
    
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
    """Evaluates while the kernel is compiled. `for i in qd.static(range(3))` is unrolled, `if qd.static(flag)` keeps one branch.
    
    Args:
        x: an expression of constants, or what a loop goes over.
        *xs: more of them; the result is a tuple then.
    
    Returns:
        In Python, what it was given.
    
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
    """Fails the compilation if `cond` is false; in Python, raises AssertionError.
    
    Args:
        cond: an expression of constants.
        msg: what the error says.
    
    Raises:
        QuadrantsCompilationError: `cond` is false, or is not known at compile time.
    
    Example:
        >>> @qd.kernel
        ... def f(x: qd.template()):
        ...     qd.static_assert(len(x.shape) == 1, "x has one axis")
        >>> f(qd.field(qd.f32, shape=4))"""

def static_print(*args: Any, **kwargs: Any) -> None:
    """Prints while the kernel is compiled: constants, types and shapes.
    
    Args:
        *args: what print() takes.
        **kwargs: `sep` and `end`, as of print().
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f():
        ...     qd.static_print("n is", n)
        >>> n = 3
        >>> f()
        n is 3"""

def loop_config(*, block_dim: int | None=None, serialize: bool=False, parallelize: int | None=None, block_dim_adaptive: bool=True, bit_vectorize: bool=False, name: str | None=None, deterministic: Any=False) -> None:
    """Says how the next loop at the top of the kernel, or of a func's body there, is to run.
    
    Args:
        block_dim: iterations that one thread takes at once on the CPU, threads of a block on a GPU; None: chosen.
        serialize: True: in order, on one thread.
        parallelize: most threads that run it; None: as many as the program has.
        block_dim_adaptive: False: `block_dim` holds for short loops too.
        bit_vectorize: of loops over quant arrays: several elements of a word at once.
        name: how reports and profiles call the task.
        deterministic: True: the same bits in every run and with any number of threads; False: as qd.init has it.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs. It goes before a loop, with names of the list above.
    
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
    """Tells the compiler that `base + low <= val < base + high`. Where that is false, anything may come.
    
    Args:
        val: an integer.
        base: an integer.
        low: a constant.
        high: a constant over `low`.
    
    Returns:
        `val`.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     i = 3
        ...     return qd.assume_in_range(i, 2, 0, 4)
        >>> f()
        3"""

@overload
def cast(obj: _M, dtype: type[Any]) -> _M:
    """Converts to another type; floats lose their fraction on the way to integers.
    
    Args:
        obj: a number, vector or matrix.
        dtype: a number type, or `int` or `float` for the defaults.
    
    Returns:
        The value, elementwise.
    
    Example:
        >>> qd.cast(2.7, qd.i32)
        2"""

@overload
def cast(obj: Any, dtype: type[_N]) -> _N:
    """Converts to another type; floats lose their fraction on the way to integers.
    
    Args:
        obj: a number, vector or matrix.
        dtype: a number type, or `int` or `float` for the defaults.
    
    Returns:
        The value, elementwise.
    
    Example:
        >>> qd.cast(2.7, qd.i32)
        2"""

def bit_cast(obj: Any, dtype: type[_T]) -> _T:
    """The bits of a number read as another type of the same width; in kernels.
    
    Args:
        obj: a number.
        dtype: the type to read it as.
    
    Returns:
        A number of that type.
    
    Raises:
        QuadrantsTypeError: the widths differ. QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f(x: qd.f32) -> qd.u32:
        ...     return qd.bit_cast(x, qd.u32)
        >>> hex(f(1.0))
        '0x3f800000'"""

def zero(x: _T) -> _T:
    """0 of the type and shape of x.
    
    Args:
        x: a number, vector or matrix.
    
    Returns:
        Zeros.
    
    Example:
        >>> qd.zero(qd.Vector([1.5, 2.5]))
        [0. 0.]"""

def one(x: _T) -> _T:
    """1 of the type and shape of x.
    
    Args:
        x: a number, vector or matrix.
    
    Returns:
        Ones.
    
    Example:
        >>> qd.one(5)
        1"""

def stop_grad(x: _T) -> _T:
    """Derivatives of the block that it stands in do not go through this field.
    
    Args:
        x: a field.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.f32, shape=8, needs_grad=True)
        >>> @qd.kernel
        ... def f():
        ...     qd.stop_grad(x)
        ...     for i in x:
        ...         x[i] = 2.0 * i
        >>> f()"""

def volatile_load(target: _T) -> _T:
    """Reads an element from memory, and not what the compiler knows of it: for flags that other threads set.
    
    Args:
        target: an element of a field or array.
    
    Returns:
        The value of the element.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs. QuadrantsTypeError: `target` is no element of a field or array.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.volatile_load(x[None])
        >>> f()
        0"""

@overload
def random(dtype: type[_N]) -> _N:
    """A uniformly distributed number: floats in [0, 1), integers over their whole range. In kernels every thread has a sequence of its
    own, which begins at the option `random_seed`; with `deterministic=True` every part of a loop has one.
    
    Args:
        dtype: a number type; `float`: `default_fp`.
    
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
    """A uniformly distributed number: floats in [0, 1), integers over their whole range. In kernels every thread has a sequence of its
    own, which begins at the option `random_seed`; with `deterministic=True` every part of a loop has one.
    
    Args:
        dtype: a number type; `float`: `default_fp`.
    
    Returns:
        A number.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     return qd.random()
        >>> 0 <= f() < 1
        True"""

def randn(dt: type[Any] | None=None) -> float:
    """A normally distributed number, of mean 0 and variance 1.
    
    Args:
        dt: a type of floats; None: `default_fp`.
    
    Returns:
        A number.
    
    Raises:
        QuadrantsTypeError: `dt` is a type of integers.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     return qd.randn()
        >>> abs(f()) < 100
        True"""

@overload
def sin(x: _M) -> _M:
    """Sine of an angle in radians.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.sin(0.5)
        0.479425538604203"""

@overload
def sin(x: float) -> float:
    """Sine of an angle in radians.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.sin(0.5)
        0.479425538604203"""

@overload
def cos(x: _M) -> _M:
    """Cosine of an angle in radians.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.cos(0.0)
        1.0"""

@overload
def cos(x: float) -> float:
    """Cosine of an angle in radians.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.cos(0.0)
        1.0"""

@overload
def tan(x: _M) -> _M:
    """Tangent of an angle in radians.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.tan(0.0)
        0.0"""

@overload
def tan(x: float) -> float:
    """Tangent of an angle in radians.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.tan(0.0)
        0.0"""

@overload
def asin(x: _M) -> _M:
    """Arc sine in radians, from -pi/2 to pi/2; nan outside of [-1, 1].
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.asin(1.0)
        1.5707963267948966"""

@overload
def asin(x: float) -> float:
    """Arc sine in radians, from -pi/2 to pi/2; nan outside of [-1, 1].
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.asin(1.0)
        1.5707963267948966"""

@overload
def acos(x: _M) -> _M:
    """Arc cosine in radians, from 0 to pi; nan outside of [-1, 1].
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.acos(1.0)
        0.0"""

@overload
def acos(x: float) -> float:
    """Arc cosine in radians, from 0 to pi; nan outside of [-1, 1].
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.acos(1.0)
        0.0"""

@overload
def tanh(x: _M) -> _M:
    """Hyperbolic tangent.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.tanh(0.0)
        0.0"""

@overload
def tanh(x: float) -> float:
    """Hyperbolic tangent.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.tanh(0.0)
        0.0"""

@overload
def exp(x: _M) -> _M:
    """e to the power of x.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.exp(0.0)
        1.0"""

@overload
def exp(x: float) -> float:
    """e to the power of x.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.exp(0.0)
        1.0"""

@overload
def log(x: _M) -> _M:
    """Natural logarithm; -inf of 0, nan of negative numbers in kernels.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.log(1.0)
        0.0"""

@overload
def log(x: float) -> float:
    """Natural logarithm; -inf of 0, nan of negative numbers in kernels.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.log(1.0)
        0.0"""

@overload
def sqrt(x: _M) -> _M:
    """Square root; nan of negative numbers in kernels.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.sqrt(qd.Vector([4.0, 9.0]))
        [2. 3.]"""

@overload
def sqrt(x: float) -> float:
    """Square root; nan of negative numbers in kernels.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.sqrt(qd.Vector([4.0, 9.0]))
        [2. 3.]"""

@overload
def rsqrt(x: _M) -> _M:
    """1 / sqrt(x).
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.rsqrt(4.0)
        0.5"""

@overload
def rsqrt(x: float) -> float:
    """1 / sqrt(x).
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.rsqrt(4.0)
        0.5"""

def abs(x: _T) -> _T:
    """Absolute value.
    
    Args:
        x: number, vector or matrix.
    
    Returns:
        The type and shape of the argument; elementwise.
    
    Example:
        >>> qd.abs(qd.Vector([-1, 2]))
        [1 2]"""

@overload
def floor(x: _T, dtype: None=None) -> _T:
    """The greatest whole number that is not above x.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
        dtype: a number type to convert the result to, or None.
    
    Returns:
        The type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.floor(2.7), qd.floor(2.7, int)
        (2.0, 2)"""

@overload
def floor(x: _M, dtype: type[Any] | None=None) -> _M:
    """The greatest whole number that is not above x.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
        dtype: a number type to convert the result to, or None.
    
    Returns:
        The type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.floor(2.7), qd.floor(2.7, int)
        (2.0, 2)"""

@overload
def floor(x: float, dtype: type[_N]) -> _N:
    """The greatest whole number that is not above x.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
        dtype: a number type to convert the result to, or None.
    
    Returns:
        The type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.floor(2.7), qd.floor(2.7, int)
        (2.0, 2)"""

@overload
def ceil(x: _T, dtype: None=None) -> _T:
    """The least whole number that is not below x.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
        dtype: a number type to convert the result to, or None.
    
    Returns:
        The type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.ceil(2.2), qd.ceil(2.2, int)
        (3.0, 3)"""

@overload
def ceil(x: _M, dtype: type[Any] | None=None) -> _M:
    """The least whole number that is not below x.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
        dtype: a number type to convert the result to, or None.
    
    Returns:
        The type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.ceil(2.2), qd.ceil(2.2, int)
        (3.0, 3)"""

@overload
def ceil(x: float, dtype: type[_N]) -> _N:
    """The least whole number that is not below x.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
        dtype: a number type to convert the result to, or None.
    
    Returns:
        The type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.ceil(2.2), qd.ceil(2.2, int)
        (3.0, 3)"""

@overload
def round(x: _T, dtype: None=None) -> _T:
    """The nearest whole number; halves go away from zero.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
        dtype: a number type to convert the result to, or None.
    
    Returns:
        The type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.round(2.5), qd.round(-2.5, int)
        (3.0, -3)"""

@overload
def round(x: _M, dtype: type[Any] | None=None) -> _M:
    """The nearest whole number; halves go away from zero.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
        dtype: a number type to convert the result to, or None.
    
    Returns:
        The type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.round(2.5), qd.round(-2.5, int)
        (3.0, -3)"""

@overload
def round(x: float, dtype: type[_N]) -> _N:
    """The nearest whole number; halves go away from zero.
    
    Args:
        x: number, vector or matrix; integers are converted to `default_fp`.
        dtype: a number type to convert the result to, or None.
    
    Returns:
        The type of x, or `dtype`; elementwise.
    
    Example:
        >>> qd.round(2.5), qd.round(-2.5, int)
        (3.0, -3)"""

def activate(node: Any, indices: Any) -> None:
    """Makes a cell of a sparse level active: it has memory, full of zeros, and loops go over it.
    
    Args:
        node: a level of a sparse tree, such as `x.parent()`.
        indices: as many integers as the level has axes, as a list, tuple or vector.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
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
    """Makes a cell of a sparse level, and what lies below, inactive: it reads as zeros.
    
    Args:
        node: a level of a sparse tree, such as `x.parent()`.
        indices: as many integers as the level has axes, as a list, tuple or vector.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
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
    """Puts a value behind the last one of a dynamic level.
    
    Args:
        node: a dynamic level.
        indices: those of the levels above it.
        val: a value of the type of the field; of levels with several fields, an element of each.
    
    Returns:
        The place where it is now, an i32.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
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
    """How many values a dynamic level holds.
    
    Args:
        node: a dynamic level.
        indices: those of the levels above it.
    
    Returns:
        An i32.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
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
    """Steps a second of the counter that `qd.clock_counter()` reads in kernels.
    
    Returns:
        A number, in Hz.
    
    Example:
        >>> qd.clock_freq_hz() > 0
        True"""

def clock_counter() -> int:
    """A counter of the processor that goes on all the time; `qd.clock_freq_hz()` steps a second.
    
    Returns:
        An i64.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     before = qd.clock_counter()
        ...     return qd.clock_counter() >= before
        >>> f()
        1"""

def global_thread_idx() -> int:
    """The number of the thread of the pool that runs the iteration.
    
    Returns:
        An i32, from 0 on.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.global_thread_idx() >= 0
        >>> f()
        1"""

def svd(A: Matrix, dt: type[Any] | None=None) -> tuple[Matrix, Matrix, Matrix]:
    """Singular values of a matrix: A = U S V^T with orthogonal U and V.
    
    Args:
        A: a 2x2 or 3x3 matrix.
        dt: f32 or f64; None: `default_fp`.
    
    Returns:
        (U, S, V), three matrices; S is diagonal, its numbers descend.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs. QuadrantsTypeError: A is not 2x2 or 3x3.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.types.vector(2, qd.f32):
        ...     U, S, V = qd.svd(qd.Matrix([[0.0, 2.0], [1.0, 0.0]]))
        ...     return qd.Vector([S[0, 0], S[1, 1]])
        >>> f()
        [2. 1.]"""

def sym_eig(A: Matrix, dt: type[Any] | None=None) -> tuple[Vector, Matrix]:
    """Eigenvalues and eigenvectors of a symmetric matrix.
    
    Args:
        A: a symmetric matrix of 2 to 6 rows.
        dt: f32 or f64; None: `default_fp`.
    
    Returns:
        (a vector of the eigenvalues, ascending; a matrix with the eigenvectors as columns).
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs. QuadrantsTypeError: the size is another one.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.types.vector(2, qd.f32):
        ...     values, vectors = qd.sym_eig(qd.Matrix([[2.0, 0.0], [0.0, 1.0]]))
        ...     return values
        >>> f()
        [1. 2.]"""

def eig(A: Matrix, dt: type[Any] | None=None) -> tuple[Matrix, Matrix]:
    """Eigenvalues and eigenvectors of a 2x2 matrix, as complex numbers.
    
    Args:
        A: a 2x2 matrix.
        dt: f32 or f64; None: `default_fp`.
    
    Returns:
        (a 2x2 matrix with an eigenvalue (real, imaginary) a row; a 4x2 matrix with the eigenvectors as columns of such pairs).
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     values, vectors = qd.eig(qd.Matrix([[0.0, -1.0], [1.0, 0.0]]))
        ...     return qd.abs(values[0, 1])
        >>> f()
        1.0"""

def polar_decompose(A: Matrix, dt: type[Any] | None=None) -> tuple[Matrix, Matrix]:
    """A = U P with an orthogonal U and a symmetric P.
    
    Args:
        A: a 2x2 or 3x3 matrix.
        dt: f32 or f64; None: `default_fp`.
    
    Returns:
        (U, P), two matrices.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs. QuadrantsTypeError: A is not 2x2 or 3x3.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     U, P = qd.polar_decompose(qd.Matrix([[0.0, -2.0], [2.0, 0.0]]))
        ...     return P[0, 0]
        >>> f()
        2.0"""

def make_spd(A: Matrix, dt: type[Any] | None=None) -> Matrix:
    """The nearest positive semidefinite matrix: negative eigenvalues become 0.
    
    Args:
        A: a symmetric matrix of 2 to 6 rows.
        dt: f32 or f64; None: `default_fp`.
    
    Returns:
        A matrix of the shape of A.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> @qd.kernel
        ... def f() -> qd.f32:
        ...     return qd.make_spd(qd.Matrix([[-1.0, 0.0], [0.0, 3.0]])).trace()
        >>> f()
        3.0"""

def solve(A: Matrix, b: Vector, dt: type[Any] | None=None) -> Vector:
    """x with A x = b, for small systems.
    
    Args:
        A: a 2x2 or 3x3 matrix.
        b: a vector of as many rows.
        dt: f32 or f64; None: `default_fp`.
    
    Returns:
        A vector.
    
    Raises:
        QuadrantsTypeError: another size. QuadrantsSyntaxError: outside of kernels and funcs.
    
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
    'type of integers that have none of their own: i32 or i64; 32 or 64 in the environment'
    default_fp: type[Any]
    'type of reals that have none of their own: f16, f32 or f64; 32 or 64 in the environment'
    fast_math: bool
    'real arithmetic may be reordered and fused, and subnormal numbers be zero; off: as IEEE 754 says, the same on every processor'
    raise_on_templated_floats: bool
    'refuse floats that a kernel has as compile-time values'
    deterministic: bool
    'sums of reals, and qd.random, give the same bits in every run and with any number of threads'
    opt_level: int
    '0: code is made as fast as can be, and runs slowly; from 1 on all are the same'
    cfg_optimization: bool
    'what was stored is not loaded again; off: memory is read and written wherever the kernel says so'
    advanced_optimization: bool
    'laws of algebra, as x * 1 = x; off: constants are evaluated, and no more'
    cache_loop_invariant_global_vars: bool
    'what a loop reads and writes at one place stays in a register while it runs'
    make_thread_local: bool
    'each thread adds up for itself what all add to one place; off: one atomic addition a round'
    flatten_if: bool
    'branches become selections where both sides may be computed; off: only small ones do'
    debug: bool
    'check indices, overflow, division and assertions while kernels run, and the IR after every pass, which takes up to a tenth of the time that large kernels take to compile'
    check_out_of_bound: bool
    'check indices; `debug` implies it'
    cpu_max_num_threads: int
    'threads that run loops; 0: one for each core that the process may use'
    make_cpu_multithreading_loop: bool
    'run parallel loops on several threads; off: in order, on one'
    default_cpu_block_dim: int
    "rounds that a thread takes at once, a multiple of it where they are short; 32: as the loop's length has it"
    cpu_block_dim_adaptive: bool
    'off: `default_cpu_block_dim` acts even if it is 32'
    num_compile_threads: int
    'most threads that compile the tasks of one kernel'
    compile_tiers: bool
    'begin with code that is made fast, go on with fast code once it is made'
    random_seed: int
    'where qd.random begins'
    offline_cache: bool
    'keep compiled code on disk'
    offline_cache_file_path: str
    'the folder; empty: qdcache below $XDG_CACHE_HOME/quadrants or ~/.cache/quadrants'
    offline_cache_max_size_of_files: int
    'bytes of kernels from which on some are removed'
    offline_cache_cleaning_policy: str
    'which kernels go first: never, version, lru or fifo; others are as never'
    offline_cache_cleaning_factor: float
    'part of the kernels that goes when there are that many bytes'
    kernel_profiler: bool
    'measure every task: qd.profiler'
    timeline: bool
    'note what compiling and launches did when, for Perfetto: timeline_save of quadrants.lang.misc'
    print_ir: bool
    'print the IR after every pass'
    print_ir_dbg_info: bool
    'places in the source, `@line:column`, in IR that is printed or dumped'
    print_preprocessed_ir: bool
    'print what the frontend makes of each kernel'
    print_kernel_llvm_ir: bool
    'print the LLVM IR of each kernel as LLVM gets it'
    print_kernel_llvm_ir_optimized: bool
    'print the LLVM IR of each kernel as LLVM has optimised it'
    print_kernel_asm: bool
    'print the machine code of each kernel'
    debug_dump_path: str
    'the folder of QD_DUMP_IR and QD_LOAD_IR'
    move_loop_invariant_outside_if: bool
    'hoist out of branches: what cannot fail always is'
    demote_dense_struct_fors: bool
    'loops over dense fields become loops over numbers: they always do'
    make_block_local: bool
    'parts of fields in the memory of a block, which CPUs have none of'
    detect_read_only: bool
    'loads of what is only read go through another cache, which CPUs have none of'
    real_matrix_scalarize: bool
    'when matrices become scalars: the frontend makes them that'
    force_scalarize_matrix: bool
    'when matrices become scalars: the frontend makes them that'
    half2_vectorization: bool
    'pairs of f16 in atomics of CUDA'
    simplify_before_lower_access: bool
    'passes around the lowering of accesses; the reference, too, reads it nowhere'
    lower_access: bool
    'the lowering of accesses; the reference, too, reads it nowhere'
    simplify_after_lower_access: bool
    'passes around the lowering of accesses; the reference, too, reads it nowhere'
    use_llvm: bool
    'the code generator; the reference, too, reads it nowhere'
    verbose: bool
    'passes over accessors tell what they do: there are no accessors, see `print_accessor_ir`'
    verbose_kernel_launches: bool
    'launches are told; the reference, too, reads it nowhere. `timeline` shows them'
    print_accessor_ir: bool
    'IR of kernels that read and write elements: the host does that without kernels'
    print_struct_llvm_ir: bool
    'LLVM IR of trees: they have no code of their own'
    print_kernel_amdgcn: bool
    'machine code of AMD GPUs'
    default_gpu_block_dim: int
    'threads of a block of a GPU'
    max_block_dim: int
    'most threads of a block; 0: as the device says'
    saturating_grid_dim: int
    'blocks that fill the device; 0: as the device says'
    gpu_max_reg: int
    'registers of a thread of a GPU'
    device_memory_GB: float
    'memory that a GPU sets aside'
    device_memory_fraction: float
    'the same as a part of what there is; over 0 it goes first'
    cuda_stack_limit: int
    'bytes of stack of a thread'
    external_metal_command_queue: int
    'a queue of Metal to use, as a pointer; 0: one of its own. Refused where kernels do not run on Metal'
    external_metal_command_queue_is_torch_queue: bool
    'this queue is that of torch; without a queue it says nothing'
    vk_api_version: str
    'version of Vulkan'
    ad_stack_experimental_enabled: bool
    'stacks for reverse mode: loops within loops'
    ad_stack_size: int
    'entries of each such stack, one more than the loop has iterations; 0: as many as needed'
    ad_stack_budget_bytes: int
    'bytes that stacks may take for one iteration of a parallel loop: what has no room is worked out again; 0: all is kept'
    ad_stack_sparse_threshold_bytes: int
    'size of a stack from which a GPU captures it under a condition; on a CPU stacks grow as they are used'
    quant_opt_store_fusion: bool
    'stores to one word of a bit structure at once: each is made by itself, safe among threads'
    quant_opt_atomic_demotion: bool
    'atomics of bit structures become plain where one thread writes: they stay atomic'
    make_mesh_block_local: bool
    'attributes of meshes in the memory of a block, which CPUs have none of'
    optimize_mesh_reordered_mapping: bool
    'numbers of mesh elements in order, in the memory of a block'
    mesh_localize_to_end_mapping: bool
    'numbers of mesh elements in the memory of a block'
    mesh_localize_from_end_mapping: bool
    'numbers of mesh elements in the memory of a block'
    mesh_localize_all_attr_mappings: bool
    'numbers of mesh elements in the memory of a block'
    demote_no_access_mesh_fors: bool
    'loops over meshes that touch no attribute become loops over numbers: all of them are'
    experimental_auto_mesh_local: bool
    'choose what to keep in the memory of a block'
    auto_mesh_local_default_occupacy: int
    'blocks for which that memory must do'

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
    """What stores a tensor: a field or an ndarray.
    
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
    """A window with a canvas, drawn anew for each frame.
    
    Positions go from (0, 0), lower left, to (1, 1); colours are 0xRRGGBB; radii and widths are pixels. Calls add to a frame,
    which `show` hands over to the process that shows the window.
    
    Args:
        name: the title.
        res: pixels, (width, height) or one number for both.
        background_color: what a frame begins with.
        show_gui: False: no window; pictures come from `get_image` and `show(file)`.
        fullscreen: over the whole screen.
        fast_gui: a picture stays on the canvas, frame after frame, until another is set.
    
    Attributes:
        running: False once the window was closed; set it to False to end a loop.
        fps_limit: frames a second that `show` lets pass at most; 60.
        SHIFT, ALT, CTRL, ESCAPE, RETURN, TAB, BACKSPACE, SPACE, UP, DOWN, LEFT, RIGHT, CAPSLOCK, LMB, MMB, RMB: names of keys and of the pointer's buttons.
        EXIT, WHEEL, MOVE: keys of events: the window is closed, the wheel turns, the pointer moves.
        PRESS, RELEASE, MOTION: types of events.
        Event: class of what `get_event` leaves in `event`.
        WidgetValue: class of what `slider` and `label` give.
    
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
            orig: where it begins.
            direction: from there to its tip.
            radius: of its lines, in pixels.
            color: 0xRRGGBB.
            **kwargs: `tip_scale` (0.2 of its length), `angle` (45 degrees) of the tip."""

    def arrow_field(self, direction: Any, radius: Any=1, color: Any=16777215, bound: Any=0.5, **kwargs: Any) -> Any:
        """Draws a grid of arrows.
        
        Args:
            direction: (w, h, 2) of where they point to.
            radius: of their lines, in pixels.
            color: 0xRRGGBB, of all or of each.
            bound: how far the first ones are from the border, in cells.
            **kwargs: as of `arrow`."""

    def arrows(self, orig: Any, direction: Any, radius: Any=1, color: Any=16777215, *, tip_scale: Any=0.2, angle: Any=45) -> Any:
        """Draws arrows.
        
        Args:
            orig: (n, 2) of where they begin.
            direction: from there to their tips.
            radius: of their lines, in pixels.
            color: 0xRRGGBB, of all or of each.
            tip_scale: length of the tip's lines, as a share of the arrow's.
            angle: between those and the arrow, in degrees."""

    def button(self, text: Any, event_name: Any=None) -> Any:
        """Adds a button.
        
        Args:
            text: what stands on it.
            event_name: the key of the events that it makes; None: `WidgetButton_` and the text.
        
        Returns:
            The key of its events."""

    def circle(self, pos: Any, color: Any=16777215, radius: Any=1) -> Any:
        """Draws a disc.
        
        Args:
            pos: its middle.
            color: 0xRRGGBB.
            radius: in pixels, where it has faded."""

    def circles(self, pos: Any, radius: Any=1, color: Any=16777215, palette: Any=None, palette_indices: Any=None) -> Any:
        """Draws discs.
        
        Args:
            pos: (n, 2) of their middles.
            radius: in pixels, where they have faded, of all or of each.
            color: 0xRRGGBB, of all or of each.
            palette: colours that `palette_indices` choose from.
            palette_indices: which of them, for each."""

    def clear(self, color: Any=None) -> Any:
        """Empties the canvas.
        
        Args:
            color: 0xRRGGBB of what it is filled with; None: the background colour."""

    def close(self) -> Any:
        """Closes the window."""

    def contour(self, scalar_field: Any, normalize: Any=False) -> Any:
        """Fills the canvas with the values of a field in colours.
        
        Args:
            scalar_field: a field of numbers with two axes.
            normalize: from its least to its greatest value, instead of from 0 to 1."""
    fps_limit: Any

    def get_cursor_pos(self) -> Any:
        """Where the pointer is, from (0, 0), lower left, to (1, 1)."""

    def get_event(self, *e_filter: Any) -> Any:
        """Whether something happened that was not taken yet; if so, it is `event`.
        
        Args:
            *e_filter: as of `get_events`."""

    def get_events(self, *e_filter: Any) -> Any:
        """What a person did, one after the other.
        
        Args:
            *e_filter: keys, types, or pairs of both, that are wanted; none: all."""

    def get_image(self) -> Any:
        """What is on the canvas: (width, height, 4) of floats from 0 to 1."""

    def get_key_event(self) -> Any:
        """Waits for the next thing that a person does."""

    def has_key_event(self) -> Any:
        """Whether something happened that was not taken yet."""

    def is_pressed(self, *keys: Any) -> Any:
        """Whether one of the keys is down.
        
        Args:
            *keys: such as `"a"`, `GUI.SPACE`, `GUI.LMB`."""

    def label(self, text: Any) -> Any:
        """Adds a line of text with a number.
        
        Args:
            text: what stands before the number.
        
        Returns:
            An object whose `value` is the number."""

    def line(self, begin: Any, end: Any, radius: Any=1, color: Any=16777215) -> Any:
        """Draws a line.
        
        Args:
            begin: one end.
            end: the other.
            radius: in pixels.
            color: 0xRRGGBB."""

    def lines(self, begin: Any, end: Any, radius: Any=1, color: Any=16777215) -> Any:
        """Draws lines.
        
        Args:
            begin: (n, 2) of one end of each.
            end: of the other.
            radius: in pixels, of all or of each.
            color: 0xRRGGBB, of all or of each."""

    def point_field(self, radius: Any, color: Any=16777215, bound: Any=0.5) -> Any:
        """Draws a grid of discs.
        
        Args:
            radius: (w, h) of their radii, in pixels.
            color: 0xRRGGBB, of all or of each.
            bound: how far the first ones are from the border, in cells."""

    def rect(self, topleft: Any, bottomright: Any, radius: Any=1, color: Any=16777215) -> Any:
        """Draws the sides of a rectangle.
        
        Args:
            topleft: a corner.
            bottomright: the opposite one.
            radius: of its lines, in pixels.
            color: 0xRRGGBB."""
    running: Any

    def set_image(self, img: Any) -> Any:
        """Fills the canvas with a picture, `img[x, y]`.
        
        Args:
            img: field, ndarray or NumPy array of the shape `res`; floats from 0 to 1 or unsigned integers; one number each, or vectors of 2 to 4."""

    def show(self, file: Any=None) -> Any:
        """Shows the frame and begins the next.
        
        Args:
            file: a name of a picture that it is written to as well."""

    def slider(self, text: Any, minimum: Any, maximum: Any, step: Any=1) -> Any:
        """Adds a slider.
        
        Args:
            text: what stands beside it.
            minimum: where it begins.
            maximum: where it ends.
            step: what it moves by.
        
        Returns:
            An object whose `value` is where it stands."""

    def text(self, content: Any, pos: Any, font_size: Any=15, color: Any=16777215) -> Any:
        """Writes a text.
        
        Args:
            content: what.
            pos: its upper left corner.
            font_size: in pixels.
            color: 0xRRGGBB."""

    def triangle(self, a: Any, b: Any, c: Any, color: Any=16777215) -> Any:
        """Draws a triangle.
        
        Args:
            a: a corner.
            b: another.
            c: the third.
            color: 0xRRGGBB."""

    def triangles(self, a: Any, b: Any, c: Any, color: Any=16777215) -> Any:
        """Draws triangles.
        
        Args:
            a: (n, 2) of their first corners.
            b: of their second ones.
            c: of their third ones.
            color: 0xRRGGBB, of all or of each."""

    def vector_field(self, vector_field: Any, arrow_spacing: Any=5, color: Any=16777215) -> Any:
        """Draws arrows for vectors on a grid, the longest as long as a tenth of the canvas.
        
        Args:
            vector_field: a field of vectors of two numbers, with two axes.
            arrow_spacing: every how many cells.
            color: 0xRRGGBB."""

    def __enter__(self) -> Self: ...

    def __exit__(self, *_: Any) -> None: ...
INFO: str

class Layout(enum.IntEnum):
    """Order of the members of compound elements in memory: AOS, those of an element together; SOA, all of one member together.
    
    Example:
        >>> v = qd.Vector.field(2, qd.f32, shape=4, layout=qd.Layout.SOA)
        >>> v.dtype
        f32"""
    AOS = 0
    SOA = 1
    NULL = 2

class QuadrantsAssertionError(QuadrantsRuntimeError):
    """An assertion in a kernel failed, or an index was out of bounds, with debug=True.
    
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
    """A mistake in a kernel, found while it is compiled; its kinds are syntax, type, name and index errors. It names the line, with a
    caret, and the calls of funcs that lead there.
    
    Example:
        >>> @qd.kernel
        ... def f():
        ...     x = y
        >>> try:
        ...     f()
        ... except qd.QuadrantsCompilationError as e:
        ...     print(type(e).__name__)
        QuadrantsNameError"""

class QuadrantsInterruptedError(QuadrantsRuntimeError):
    """Ctrl-C, or Stop in a notebook, ended a kernel that another thread than the main one was in. On the main thread that is
    KeyboardInterrupt.
    
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
    """A call that cannot be carried out.
    
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
    """A kernel uses Python that the language does not have.
    
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
    """Types in a kernel do not fit.
    
    Example:
        >>> issubclass(qd.QuadrantsTypeError, qd.QuadrantsCompilationError)
        True"""
TRACE: str
WARN: str
_MatrixTensor = MatrixTensor
_Tensor = Tensor
_VectorTensor = VectorTensor
__version__: Any
__version_str__: str
from quadrants import _lib as _lib
from quadrants import _tensor as _tensor
_wrap = wrap
from quadrants import ad as ad
from quadrants import algorithms as algorithms
amdgpu: _Arch
arm64: _Arch

def atan2(x1: Any, x2: Any) -> Any:
    """Angle in radians of the point (x2, x1), from -pi to pi.
    
    Args:
        x1: the ordinate.
        x2: the abscissa.
    
    Returns:
        Elementwise; a number beside a vector or matrix stands for one of its shape, types are promoted.
    
    Example:
        >>> qd.atan2(1.0, 1.0)
        0.7853981633974483"""

def atomic_add(x: Any, y: Any) -> Any:
    """x = x + y in one step that no other thread comes between. `x += y` in a parallel loop does the same.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices element by element.
        y: the other operand, converted to the type of `x`.
    
    Returns:
        What `x` held before.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_add(x[None], 2)
        >>> (f(), x[None])
        (6, 8)"""

def atomic_and(x: Any, y: Any) -> Any:
    """x = x & y in one step that no other thread comes between. `x &= y` in a parallel loop does the same.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices element by element.
        y: the other operand, converted to the type of `x`; integers.
    
    Returns:
        What `x` held before.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs. QuadrantsTypeError: `x` or `y` is not an integer.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_and(x[None], 3)
        >>> (f(), x[None])
        (6, 2)"""

def atomic_cas(x: Any, expected: Any, desired: Any) -> Any:
    """Compare and swap: x becomes `desired` if it is `expected`, in one step.
    
    Args:
        x: an element of integers.
        expected: what it must hold.
        desired: what it becomes.
    
    Returns:
        What `x` held before: `expected` if it was changed.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs. QuadrantsTypeError: `x` is no integer.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_cas(x[None], 6, 1)
        >>> (f(), x[None])
        (6, 1)"""

def atomic_exchange(x: Any, y: Any) -> Any:
    """x = y in one step that no other thread comes between.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices element by element.
        y: the other operand, converted to the type of `x`.
    
    Returns:
        What `x` held before.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_exchange(x[None], 2)
        >>> (f(), x[None])
        (6, 2)"""

def atomic_max(x: Any, y: Any) -> Any:
    """x = the greater of x and y in one step that no other thread comes between.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices element by element.
        y: the other operand, converted to the type of `x`.
    
    Returns:
        What `x` held before.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_max(x[None], 9)
        >>> (f(), x[None])
        (6, 9)"""

def atomic_min(x: Any, y: Any) -> Any:
    """x = the lesser of x and y in one step that no other thread comes between.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices element by element.
        y: the other operand, converted to the type of `x`.
    
    Returns:
        What `x` held before.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_min(x[None], 2)
        >>> (f(), x[None])
        (6, 2)"""

def atomic_mul(x: Any, y: Any) -> Any:
    """x = x * y in one step that no other thread comes between.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices element by element.
        y: the other operand, converted to the type of `x`.
    
    Returns:
        What `x` held before.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_mul(x[None], 2)
        >>> (f(), x[None])
        (6, 12)"""

def atomic_or(x: Any, y: Any) -> Any:
    """x = x | y in one step that no other thread comes between. `x |= y` in a parallel loop does the same.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices element by element.
        y: the other operand, converted to the type of `x`; integers.
    
    Returns:
        What `x` held before.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs. QuadrantsTypeError: `x` or `y` is not an integer.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_or(x[None], 1)
        >>> (f(), x[None])
        (6, 7)"""

def atomic_sub(x: Any, y: Any) -> Any:
    """x = x - y in one step that no other thread comes between. `x -= y` in a parallel loop does the same.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices element by element.
        y: the other operand, converted to the type of `x`.
    
    Returns:
        What `x` held before.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_sub(x[None], 2)
        >>> (f(), x[None])
        (6, 4)"""

def atomic_xor(x: Any, y: Any) -> Any:
    """x = x ^ y in one step that no other thread comes between. `x ^= y` in a parallel loop does the same.
    
    Args:
        x: an element of a field or array, or a variable of the kernel; vectors and matrices element by element.
        y: the other operand, converted to the type of `x`; integers.
    
    Returns:
        What `x` held before.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs. QuadrantsTypeError: `x` or `y` is not an integer.
    
    Example:
        >>> x = qd.field(qd.i32, shape=())
        >>> x[None] = 6
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.atomic_xor(x[None], 2)
        >>> (f(), x[None])
        (6, 4)"""

def bit_shr(x1: Any, x2: Any) -> Any:
    """Shift to the right that fills with zeros, of signed integers too.
    
    Args:
        x1: an integer, or a vector or matrix of integers, elementwise.
        x2: how many bits.
    
    Returns:
        The type of x1.
    
    Example:
        >>> qd.bit_shr(-1, 28)
        15"""

def block_local(*args: Any) -> Any:
    """Asks that the part of these fields that a block of the next loop touches be kept near it. A hint of the language that GPUs can use; on the CPU it changes nothing.
    
    Args:
        *args: fields.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.f32, shape=8)
        >>> @qd.kernel
        ... def f():
        ...     qd.block_local(x)
        ...     for i in x:
        ...         x[i] += 1.0
        >>> f()"""

def cache_read_only(*args: Any) -> Any:
    """Promises that the next loop only reads these fields. A hint of the language that GPUs can use; on the CPU it changes nothing.
    
    Args:
        *args: fields.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
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
    """The gradients of all fields become 0.
    
    Args:
        gradient_type: `SNodeGradType.ADJOINT`; with DUAL, their duals.
    
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
    """Fraction and exponent: x = fraction * 2 ** exponent, with a fraction in [0.5, 1).
    
    Args:
        x: a float.
    
    Returns:
        (fraction, exponent), a float and an i32.
    
    Example:
        >>> qd.frexp(6.0)
        (0.75, 3)"""

def get_addr(f: Any, indices: Any) -> Any:
    """The address of an element of a field.
    
    Args:
        f: a field of scalars.
        indices: as many integers as the field has axes.
    
    Returns:
        A u64.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
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
    """Three numbers from 0 to 1 of 0xRRGGBB.
    
    Args:
        color: the whole number.
    
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
    """Opens a window that shows what the program does while it runs: how often each line ran, fields and arrays as pictures, times of
    tasks, what kernels print. It returns at once; called again it adds to the window that there is. From here on lines are counted, so kernels that
    were compiled before are compiled once more. In a program that was started with QD_INSPECT=attach it opens no window: `quadrants inspect PID` does.
    
    Args:
        arrays: fields, ndarrays and numpy arrays to be looked at, called as the variables that hold them.
        named: others, under names of your own.
        title: of the window; None: the name of the program.
        wait: the program stands still here until somebody presses Resume; where no window is shown it runs on.
        keep: the window stays when the program has ended.
        show_window: False: it is drawn where nobody sees it.
    
    Returns:
        An Inspector. Where there can be no window it says so in one line, and the program runs as without.
    
    Raises:
        TypeError: something else than fields and arrays is to be shown, or title is no text.
    
    Example:
        >>> ins = qd.inspect(v, pos=x, title="waves")  # doctest: +SKIP"""
from quadrants import interop as interop

def is_active(node: Any, indices: Any) -> Any:
    """Whether a cell of a sparse level is active.
    
    Args:
        node: a level of a sparse tree, such as `x.parent()`.
        indices: as many integers as the level has axes, as a list, tuple or vector.
    
    Returns:
        A truth value.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
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
    """The greatest of its arguments, elementwise.
    
    Args:
        *args: at least one number, vector or matrix.
    
    Returns:
        Elementwise; a number beside a vector or matrix stands for one of its shape, types are promoted.
    
    Example:
        >>> qd.max(1, qd.Vector([0, 2]), 1)
        [1 2]"""

def mesh_local(*args: Any) -> Any:
    """Asks that attributes of the mesh of the next loop be kept near its patch. A hint of the language that GPUs can use; on the CPU it changes nothing.
    
    Args:
        *args: fields that are attributes of a mesh.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.f32, shape=8)
        >>> @qd.kernel
        ... def f():
        ...     qd.mesh_local(x)
        ...     for i in x:
        ...         x[i] += 1.0
        >>> f()"""

def mesh_patch_idx() -> Any:
    """The number of the patch that the iteration of a loop over mesh elements belongs to; for kernels and funcs.
    
    Returns:
        An i32.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs. QuadrantsSyntaxError: outside of a loop over mesh elements.
    
    Example:
        >>> qd.mesh_patch_idx()
        Traceback (most recent call last):
        quadrants.QuadrantsSyntaxError: qd.mesh_patch_idx can only be used in kernels and funcs."""
metal: _Arch

def min(*args: Any) -> Any:
    """The least of its arguments, elementwise.
    
    Args:
        *args: at least one number, vector or matrix.
    
    Returns:
        Elementwise; a number beside a vector or matrix stands for one of its shape, types are promoted.
    
    Example:
        >>> qd.min(1, 2.5)
        1"""

def no_activate(*args: Any) -> Any:
    """In the loops that follow, writing to these levels activates no cells: what is written to inactive ones is lost.
    
    Args:
        *args: levels of sparse trees.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
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
    """The outer product of two vectors, which a tile is changed by: `tile -= qd.outer(a, b)`. Tiles need a GPU.
    
    Args:
        a: a vector; its elements go with the rows.
        b: a vector; its elements go with the columns.
    
    Example:
        >>> type(qd.outer(qd.Vector([1.0]), qd.Vector([2.0]))).__name__
        'OuterProduct'"""

def pow(base: Any, exponent: Any) -> Any:
    """`base ** exponent`.
    
    Args:
        base: number, vector or matrix.
        exponent: number, vector or matrix.
    
    Returns:
        Elementwise; a number beside a vector or matrix stands for one of its shape, types are promoted.
    
    Raises:
        QuadrantsTypeError: both are integers and the exponent is negative, in debug mode or as a constant.
    
    Example:
        >>> qd.pow(2, 10)
        1024"""
from quadrants import profiler as profiler
python: _Arch

def raw_div(x1: Any, x2: Any) -> Any:
    """Division as the C language has it: of integers it drops the fraction, towards zero.
    
    Args:
        x1: the dividend.
        x2: the divisor.
    
    Returns:
        Elementwise; a number beside a vector or matrix stands for one of its shape, types are promoted.
    
    Example:
        >>> qd.raw_div(-7, 2), qd.raw_div(7.0, 2.0)
        (-3, 3.5)"""

def raw_mod(x1: Any, x2: Any) -> Any:
    """Remainder as the C language has it: with the sign of the dividend.
    
    Args:
        x1: the dividend.
        x2: the divisor.
    
    Returns:
        Elementwise; a number beside a vector or matrix stands for one of its shape, types are promoted.
    
    Example:
        >>> qd.raw_mod(-7, 2)
        -1"""

def rescale_index(a: Any, b: Any, I: Any) -> Any:
    """The index of `a` at the place of index `I` of `b`, where one level is a coarser grid of the other.
    
    Args:
        a: a field or level that `I` indexes.
        b: another one.
        I: indices of `a`.
    
    Returns:
        A vector of integers.
    
    Raises:
        QuadrantsSyntaxError: outside of kernels and funcs.
    
    Example:
        >>> x = qd.field(qd.f32, shape=8)
        >>> y = qd.field(qd.f32, shape=2)
        >>> @qd.kernel
        ... def f() -> qd.i32:
        ...     return qd.rescale_index(x, y, [6])[0]
        >>> f()
        1"""

def rgb_to_hex(c: Any) -> Any:
    """0xRRGGBB of three numbers from 0 to 1.
    
    Args:
        c: red, green, blue; numbers or arrays.
    
    Example:
        >>> hex(qd.rgb_to_hex((1.0, 0.5, 0.0)))
        '0xff7f00'"""

def select(cond: Any, x1: Any, x2: Any) -> Any:
    """`x1` where `cond` holds, else `x2`; both are evaluated.
    
    Args:
        cond: an integer or truth value, or a vector or matrix of such.
        x1: number, vector or matrix.
        x2: likewise.
    
    Returns:
        Elementwise; the type that both are promoted to.
    
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
from quadrants import cache as cache, coverage as coverage
